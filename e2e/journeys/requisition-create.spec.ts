import type { Page } from '@playwright/test'
import { signIn } from '../support/sign-in.ts'
import { currentSession } from '../support/stored-session.ts'
import { expect, test } from '../support/test.ts'

let session = ''
test.beforeAll(async ({ browser, baseURL }) => {
  const page = await browser.newPage({ baseURL })
  await signIn(page, 'staff')
  session = JSON.stringify(await currentSession(page))
  await page.close()
})
test.beforeEach(async ({ page }) => {
  await page.addInitScript(`localStorage.setItem('auth.v0.2', ${JSON.stringify(session)})`)
  await page.goto('/')
})

const api = async (page: Page, path: string) => {
  const { token } = await currentSession(page)
  const reply = await page.request.get(`/api/v3.0/${path}`, { headers: { authorization: `Bearer ${token}` } })
  expect(reply.status()).toBe(200)
  return (await reply.json()).data
}
const aClient = async (page: Page): Promise<{ id: number; clientName: string }> => {
  const clients: { id: number; clientName: string; clientTz: string }[] = await api(page, 'clients?perPage=50')
  // Not the first ones: other journeys change their zones.
  const found = clients.find(({ id, clientTz }) => id > 5 && /Chicago|New_York|Los_Angeles|Denver/.test(clientTz))
  if (!found) throw new Error('No client with a zone')
  return found
}

const box = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })
const text = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const pick = async (page: Page, name: string, typed: string) => {
  await box(page, name).fill(typed)
  // The first of the whole list may still stand there: the search begins when typing pauses.
  await page.getByRole('option', { name: typed, exact: true }).first().click()
}
const choose = async (page: Page, name: string, option: string) => {
  await box(page, name).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Everything an order needs but the patient. */
const fillOrder = async (page: Page) => {
  const { clientName } = await aClient(page)
  await pick(page, 'Client', clientName)
  await expect(box(page, 'Lab')).not.toHaveText('')
  await expect(box(page, 'Client Event')).toHaveText('Routine orders')
  await box(page, 'Physician').click()
  await page.getByRole('option').first().click()
  const parts = { Month: '11', Day: '2', Year: '2026', Hours: '10', Minutes: '05' }
  for (const [part, value] of Object.entries(parts)) await text(page, `Collected ${part}`).fill(value)
}
const fillPatient = async (page: Page, lastName: string, firstName = 'Nora') => {
  await text(page, 'First Name').fill(firstName)
  await text(page, 'Last Name').fill(lastName)
  for (const [part, value] of Object.entries({ Month: '3', Day: '4', Year: '1961' }))
    await text(page, `DOB ${part}`).fill(value)
  await choose(page, 'Gender', 'Female')
}
const create = (page: Page) => page.getByRole('button', { name: 'Create', exact: true }).click()
const unique = (name: string) => `${name}${Date.now().toString(36)}`

test('CREATE-02..CREATE-10 CREATE-17..CREATE-19 CREATE-27..CREATE-32 CREATE-49..CREATE-75 the page: sections, presets, what is missing', async ({
  page,
  expectAccessible,
}) => {
  await page.goto('/requisitions')
  await page.getByRole('link', { name: 'Create' }).click()
  await expect(page).toHaveURL('/requisitions/create')
  await expect(page.getByRole('heading', { name: 'Add Requisition' })).toBeVisible()
  for (const name of [
    'Ordering Physician',
    'Create Patient',
    'Specimen Information',
    'Patient History',
    'Scanned Requisition',
  ])
    await expect(page.getByRole('region', { name })).toBeVisible()
  await expect(page.getByRole('complementary', { name: 'Suggested patients' })).toBeVisible()
  await expect(page.getByRole('checkbox', { name: 'New Patient (hide suggestions)' })).toBeVisible()
  await expect(page.getByText('Drop a file here')).toBeVisible()
  await expect(box(page, 'Collaborator')).not.toHaveValue('')
  await expect(box(page, 'Lab')).not.toHaveText('')
  await expect(box(page, 'Ethnicity')).toHaveText('Not given')
  await expect(box(page, 'Time of day')).toHaveText('AM')
  await expect(box(page, 'Weight unit')).toHaveText('lb')
  await expect(box(page, 'Height unit')).toHaveText('Feet and inches')
  for (const name of ['Smoker', 'Diabetic', 'Family history of MI'])
    await expect(page.getByRole('radiogroup', { name }).getByRole('radio', { name: 'No' })).toBeChecked()
  await create(page)
  const labels = [
    ...['Client', 'Physician', 'Client Event', 'First Name', 'Last Name', 'Gender'],
    ...['DOB Month', 'DOB Day', 'DOB Year', 'Collected Month', 'Collected Day', 'Collected Year'],
    ...['Collected Hours', 'Collected Minutes'],
  ]
  for (const label of labels) await expect(page.getByText(`${label} is required`, { exact: true })).toBeVisible()
  await text(page, 'Weight').fill('0')
  await expect(page.getByText('Weight must be great than 0')).toBeVisible()
  await text(page, 'Height Feet').fill('9')
  await expect(page.getByText('Height must be less than or equal to 8 feet.')).toBeVisible()
  for (const [part, value] of Object.entries({ Month: '2', Day: '31', Year: '1960' }))
    await text(page, `DOB ${part}`).fill(value)
  await expect(page.getByText('Invalid date')).toBeVisible()
  await expectAccessible(page)
})

test('CREATE-82..CREATE-88 a new patient with a scan; the show page has both', async ({ page }) => {
  await page.goto('/requisitions/create')
  const lastName = unique('Scan')
  await fillOrder(page)
  await fillPatient(page, lastName, '<b>Zoë</b> 🙂')
  const file = page.locator('input[type=file]')
  await file.setInputFiles({ name: 'order.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') })
  await expect(page.getByText('order.pdf')).toBeVisible()
  await create(page)
  await expect(page).toHaveURL(/\/requisitions\/\d+\/show$/)
  await expect(page.getByText('Successfully created')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${lastName}, <b>Zoë</b> 🙂 (03/04/1961)`)
  await expect(page.getByText('order.pdf')).toBeVisible()
})

test('CREATE-79..CREATE-81 CREATE-86..CREATE-88 clocks that are set, a file that is none', async ({ page, faults }) => {
  faults.expect(/./)
  await page.goto('/requisitions/create')
  await fillOrder(page)
  await fillPatient(page, unique('Clock'))
  const day = async (month: string, date: string, hours: string) => {
    await text(page, 'Collected Month').fill(month)
    await text(page, 'Collected Day').fill(date)
    await text(page, 'Collected Hours').fill(hours)
  }
  await day('3', '8', '2')
  await text(page, 'Collected Minutes').fill('30')
  await create(page)
  await expect(page.getByRole('alert').filter({ hasText: 'This time does not exist' }).first()).toBeVisible()
  await expect(page).toHaveURL('/requisitions/create')
  await day('11', '1', '1')
  await expect(page.getByRole('radiogroup', { name: 'Which of the two' })).toBeVisible()
  await page.getByRole('radio', { name: 'The second (after)' }).check()
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'none.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no pdf') })
  await create(page)
  await expect(
    page
      .getByRole('alert')
      .filter({ hasText: /file|S3/i })
      .first(),
  ).toBeVisible()
  await expect(page).toHaveURL(/\/requisitions\/\d+\/show$/)
})

test('CREATE-07 CREATE-08 CREATE-85 CREATE-89..CREATE-92 PAT-094..PAT-099 suggestions: chosen, edited, hidden, namesakes', async ({
  page,
}) => {
  const lastName = unique('Known')
  await page.goto('/requisitions/create')
  await fillOrder(page)
  await fillPatient(page, lastName)
  await create(page)
  await expect(page).toHaveURL(/\/show$/)

  await page.goto('/requisitions/create')
  await fillOrder(page)
  await text(page, 'Last Name').fill(lastName)
  const suggestion = page.getByRole('complementary').getByRole('button', { name: lastName })
  await suggestion.click()
  await expect(text(page, 'First Name')).toHaveValue('Nora')
  await expect(text(page, 'DOB Year')).toHaveValue('1961')
  await expect(suggestion).not.toContainText('Edited')
  await text(page, 'Middle Name').fill('Q')
  await expect(suggestion).toContainText('Edited')
  await create(page)
  await expect(page).toHaveURL(/\/show$/)
  await expect(page.getByRole('region', { name: 'Patient Information' })).toContainText('Q')

  await page.goto('/requisitions/create')
  await fillOrder(page)
  await fillPatient(page, lastName)
  await create(page)
  const dialog = page.getByRole('dialog', { name: 'A patient with the same name and date of birth already exists.' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(text(page, 'Last Name')).toHaveValue(lastName)
  await page.getByRole('checkbox', { name: 'New Patient (hide suggestions)' }).check()
  await expect(suggestion).toBeHidden()
  await create(page)
  await expect(page).toHaveURL(/\/show$/)
})

test('the create form by keyboard and on a phone', async ({ page, expectAccessible }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/requisitions/create')
  const lastName = unique('Keys')
  await text(page, 'First Name').focus()
  await page.keyboard.type('Kim')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(lastName)
  await expect(text(page, 'Last Name')).toHaveValue(lastName)
  await expectAccessible(page)
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
})
