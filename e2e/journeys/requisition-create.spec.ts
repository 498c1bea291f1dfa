import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { hold } from '../support/held.ts'
import { create, fillOrder as fillOrderOf, fillPatient, fillRest, pick, shown } from '../support/order-form.ts'
import { newPerson, openAs, sessionOf } from '../support/people.ts'
import { box, callsOf, clientWithZone, daysAgo, field, newRequisition, text, unique } from '../support/requisition.ts'
import { endSessionOf, signInAgain } from '../support/session-renewal.ts'
import { expect, picture, test } from '../support/test.ts'

let session: Awaited<ReturnType<typeof sessionOf>>
let client = ''
let files = ''
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  session = await sessionOf(request, 'staff')
  client = (await clientWithZone(callsOf(request, session))).clientName
  await request.dispose()
  files = await mkdtemp(join(tmpdir(), 'lis-scans-'))
})
test.afterAll(() => rm(files, { recursive: true, force: true }))

const pdf = { name: 'order.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') }
/** A PDF of many megabytes, most of it nothing. */
const scanOf = async (megabytes: number) => {
  const path = join(files, `scan-${megabytes}.pdf`)
  await writeFile(path, '%PDF-1.4\n%%EOF\n')
  await truncate(path, megabytes * 1024 * 1024)
  return path
}
/** The order that is typed must not look like the same one again. */
const anotherDay = { dateCollected: `${daysAgo(21)}T10:05:00-05:00` }
const fillOrder = (page: Page) => fillOrderOf(page, client)

/** The fields of the form by their labels. */
const createFields = [
  ['CREATE-11', 'Collaborator'],
  ['CREATE-12', 'Client'],
  ['CREATE-13', 'Physician'],
  ['CREATE-14', 'Client Event'],
  ['CREATE-15', 'External Order ID'],
  ['CREATE-16', 'Lab'],
  ['CREATE-17', 'DOB Month'],
  ['CREATE-18', 'DOB Day'],
  ['CREATE-19', 'DOB Year'],
  ['CREATE-20', 'First Name'],
  ['CREATE-21', 'Middle Name'],
  ['CREATE-22', 'Last Name'],
  ['CREATE-23', 'Gender'],
  ['CREATE-24', 'Race'],
  ['CREATE-25', 'Ethnicity'],
  ['CREATE-26', 'SSN'],
  ['CREATE-27', 'Collected Month'],
  ['CREATE-28', 'Collected Day'],
  ['CREATE-29', 'Collected Year'],
  ['CREATE-30', 'Collected Hours'],
  ['CREATE-31', 'Collected Minutes'],
  ['CREATE-32', 'Time of day'],
  ['CREATE-33', 'Collection Method'],
  ['CREATE-34', 'Collected By'],
  ['CREATE-35', 'SBP'],
  ['CREATE-36', 'DBP'],
  ['CREATE-37', 'Smoker'],
  ['CREATE-38', 'Diabetic'],
  ['CREATE-39', 'Family history of MI'],
  ['CREATE-40', 'Covid vaccinated'],
  ['CREATE-41', 'Family history of T2D'],
  ['CREATE-42', 'Personal T2D/gestational'],
  ['CREATE-43', 'Weight'],
  ['CREATE-44', 'Weight unit'],
  ['CREATE-45', 'Height Feet'],
  ['CREATE-46', 'Height Inches'],
  ['CREATE-48', 'Height unit'],
] as const

test('CREATE-02 the page: sections, presets, what is missing, a file that is too big, a phone', async ({
  page,
  expectAccessible,
}) => {
  await openAs(page, session, '/requisitions')
  await page.getByRole('link', { name: 'Create' }).click()
  await expect(page).toHaveURL('/requisitions/create')
  await expect(page.getByRole('heading', { name: 'Add Requisition' })).toBeVisible()
  for (const [id, name] of [
    ['CREATE-03', 'Ordering Physician'],
    ['CREATE-04', 'Create Patient'],
    ['CREATE-05', 'Specimen Information'],
    ['CREATE-06', 'Patient History'],
    ['CREATE-09', 'Scanned Requisition'],
  ] as const)
    await test.step(`${id} there is the section ${name}`, () =>
      expect(page.getByRole('region', { name })).toBeVisible())
  await test.step('CREATE-07 CREATE-08 CREATE-10 patients are suggested unless a new one is meant; a button creates', async () => {
    await expect(page.getByRole('complementary', { name: 'Suggested patients' })).toBeVisible()
    await expect(page.getByRole('checkbox', { name: 'New Patient (hide suggestions)' })).toBeVisible()
    await expect(page.getByText('Drop a file here')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Create', exact: true })).toBeVisible()
  })
  for (const [id, label] of createFields)
    await test.step(`${id} the form has the field ${label}`, () => expect(field(page, label)).toBeVisible())
  await test.step('CREATE-49 CREATE-50 CREATE-54 CREATE-55 ethnicity, time of day and units are preset', async () => {
    await expect(box(page, 'Ethnicity')).toHaveText('Not given')
    await expect(box(page, 'Time of day')).toHaveText('AM')
    await expect(box(page, 'Weight unit')).toHaveText('lb')
    await expect(box(page, 'Height unit')).toHaveText('Feet and inches')
  })
  await test.step('CREATE-56 CREATE-57 collaborator and lab are preset', async () => {
    await expect(box(page, 'Collaborator')).not.toHaveValue('')
    await expect(box(page, 'Lab')).not.toHaveText('')
  })
  for (const [id, name] of [
    ['CREATE-51', 'Smoker'],
    ['CREATE-52', 'Diabetic'],
    ['CREATE-53', 'Family history of MI'],
  ] as const)
    await test.step(`${id} ${name} is no unless stated`, () =>
      expect(page.getByRole('radiogroup', { name }).getByRole('radio', { name: 'No' })).toBeChecked())
  await create(page)
  for (const [id, label] of [
    ['CREATE-61', 'Client'],
    ['CREATE-62', 'Physician'],
    ['CREATE-63', 'Client Event'],
    ['CREATE-64', 'First Name'],
    ['CREATE-65', 'Last Name'],
    ['CREATE-66', 'Gender'],
    ['CREATE-67', 'DOB Month'],
    ['CREATE-68', 'DOB Day'],
    ['CREATE-69', 'DOB Year'],
    ['CREATE-70', 'Collected Month'],
    ['CREATE-71', 'Collected Day'],
    ['CREATE-72', 'Collected Year'],
    ['CREATE-73', 'Collected Hours'],
    ['CREATE-74', 'Collected Minutes'],
  ] as const)
    await test.step(`${id} ${label} is required`, () =>
      expect(page.getByText(`${label} is required`, { exact: true })).toBeVisible())
  await test.step('PAT-085 PAT-088 weight and height have bounds', async () => {
    await text(page, 'Weight').fill('0')
    await expect(page.getByText('Weight must be great than 0')).toBeVisible()
    await text(page, 'Height Feet').fill('9')
    await expect(page.getByText('Height must be less than or equal to 8 feet.')).toBeVisible()
  })
  const turned = page.getByText('SBP must be higher than DBP')
  await text(page, 'SBP').fill('120')
  await text(page, 'DBP').fill('180')
  await expect(turned).toBeVisible()
  await picture(page, 'pressure-turned')
  await text(page, 'DBP').fill('80')
  await expect(turned).toHaveCount(0)
  for (const [part, value] of Object.entries({ Month: '2', Day: '31', Year: '1960' }))
    await text(page, `DOB ${part}`).fill(value)
  await expect(page.getByText('Invalid date')).toBeVisible()

  let travelled = 0
  page.on('request', (request) => {
    if (request.url().includes('/storage') || request.url().includes('/docs')) travelled++
  })
  await page.locator('input[type=file]').setInputFiles(await scanOf(51))
  await expect(page.getByText('The file is larger than 50 MB')).toBeVisible()
  expect(travelled).toBe(0)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectAccessible(page)
  expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
})

test('CREATE-79..CREATE-84 CREATE-87 a new patient by keyboard alone, at an hour that was skipped and then at one that came twice', async ({
  page,
}) => {
  await openAs(page, session, '/requisitions/create')
  const lastName = unique('Keys')
  const { keyboard } = page
  const named = { all: 'Control+a', down: 'ArrowDown', enter: 'Enter' } as const
  type Named = keyof typeof named
  /** Goes on to a field and says what it takes there. */
  const at = async (locator: ReturnType<typeof text>, ...keys: string[]) => {
    for (let steps = 0; steps < 6; steps++) {
      if (await locator.evaluate((node) => node === node.ownerDocument.activeElement)) break
      await keyboard.press('Tab')
    }
    await expect(locator).toBeFocused()
    for (const key of keys) await (key in named ? keyboard.press(named[key as Named]) : keyboard.type(key))
  }
  await expect(box(page, 'Collaborator')).not.toHaveValue('')
  await box(page, 'Client').focus()
  await at(box(page, 'Client'), client)
  // At once, while the whole list may still be shown: options that do not match cannot be chosen.
  await expect(page.getByRole('option', { name: client, exact: true })).toBeVisible()
  await keyboard.press('Enter')
  await expect(box(page, 'Client')).toHaveValue(client)
  await expect(box(page, 'Client Event')).toHaveText('Routine orders')
  await at(box(page, 'Physician'), 'down')
  await expect(page.getByRole('option').first()).toBeVisible()
  await keyboard.press('Enter')
  await expect(box(page, 'Physician')).not.toHaveValue('')
  await at(text(page, 'First Name'), 'Zoë 山田')
  await at(text(page, 'Last Name'), lastName)
  await at(text(page, 'DOB Month'), '3')
  await at(text(page, 'DOB Day'), '4')
  await at(text(page, 'DOB Year'), '1961')
  await at(box(page, 'Gender'), 'down')
  await expect(page.getByRole('option', { name: 'Female', exact: true })).toBeVisible()
  await keyboard.type('F')
  await keyboard.press('Enter')
  await expect(box(page, 'Gender')).toHaveText('Female')
  for (const [part, value] of Object.entries({ Month: '3', Day: '8', Year: '2026', Hours: '2', Minutes: '30' }))
    await at(text(page, `Collected ${part}`), value)
  await keyboard.press('Control+Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'This time does not exist' }).first()).toBeVisible()
  await expect(page).toHaveURL('/requisitions/create')
  await expect(text(page, 'Collected Day')).toBeFocused()
  await keyboard.press('Shift+Tab')
  await at(text(page, 'Collected Month'), 'all', '11')
  await at(text(page, 'Collected Day'), 'all', '1')
  await at(text(page, 'Collected Hours'), 'all', '1')
  const which = page.getByRole('radiogroup', { name: 'Which of the two' })
  await expect(which).toBeVisible()
  await at(which.getByRole('radio', { name: 'The first' }), 'down')
  await expect(which.getByRole('radio', { name: 'The second' })).toBeChecked()
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/requisitions'))
  await keyboard.press('Control+Enter')
  // The second half past one is by standard time.
  expect((await sent).postDataJSON().dateCollected).toMatch(/^2026-11-01T01:30:00-0[5-8]:00$/)
  // A time that the clocks show twice is on one day of the year, which may be long ago by now.
  if (daysAgo(90) > '2026-11-01') await page.getByRole('button', { name: 'Save anyway' }).click()
  await expect(page).toHaveURL(shown)
  await expect(page.getByText('Successfully created')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${lastName}, Zoë 山田 (03/04/1961)`)
})

test('CREATE-85 suggestions: chosen, edited, hidden, namesakes; a scan of 49 MB with its progress', async ({
  page,
}) => {
  const lastName = unique('Known')
  await newRequisition(callsOf(page.request, session), {
    patientFirstName: 'Nora',
    patientLastName: lastName,
    ...anotherDay,
  })
  await openAs(page, session, '/requisitions/create')
  await fillOrder(page)
  // A search that failed has not found nobody.
  await page.route(
    /\/api\/v3\.0\/patients\?/,
    (route) => route.fulfill({ status: 400, json: { message: 'Out of order' } }),
    {
      times: 1,
    },
  )
  await test.step('PAT-094 PAT-097 PAT-099 patients are looked for by what is typed, and a failed search says so', async () => {
    const asked = page.waitForRequest(/\/api\/v3\.0\/patients\?/)
    await text(page, 'Last Name').fill(lastName)
    const filter = new URL((await asked).url()).searchParams.get('filter') ?? ''
    expect(filter).toContain(lastName)
    expect(filter).not.toContain('patientFirstName')
    await expect(page.getByRole('complementary').getByText('The search failed: Out of order')).toBeVisible()
    await page.getByRole('complementary').getByRole('button', { name: 'Retry' }).click()
  })
  const suggestion = page.getByRole('complementary').getByRole('button', { name: lastName })
  await test.step('PAT-096 CREATE-89 CREATE-90 a chosen suggestion fills the fields, and says when it was edited', async () => {
    await suggestion.click()
    await expect(text(page, 'First Name')).toHaveValue('Nora')
    await expect(text(page, 'DOB Year')).toHaveValue('1961')
    await expect(suggestion).not.toContainText('Edited')
    await text(page, 'Middle Name').fill('Q')
    await expect(suggestion).toContainText('Edited')
  })
  await page.locator('input[type=file]').setInputFiles(await scanOf(49))
  const network = await page.context().newCDPSession(page)
  const megabytes = 1024 * 1024
  await network.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 24 * megabytes },
  })
  await test.step('CREATE-86 the dropped scan goes with the order', async () => {
    await create(page)
    await expect(page.getByText(/\d of 49\.0 MB/)).toBeVisible()
    await expect(page).toHaveURL(shown)
    await expect(page.getByText('scan-49.pdf')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Patient Information' })).toContainText('Q')
  })
  await page.goto('/requisitions/create')
  await fillOrder(page)
  await fillPatient(page, lastName)
  // Errors that only the server can find are shown under their field too.
  await text(page, 'Collected Year').fill('1950')
  await create(page)
  const early = page.getByRole('region', { name: 'Specimen Information' }).getByText(/before the date of birth/)
  await expect(early).toBeVisible()
  await text(page, 'Collected Year').fill('2026')
  await create(page)
  const dialog = page.getByRole('dialog', { name: 'Which patient?' })
  await expect(dialog).toContainText('2 requisitions')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(text(page, 'Last Name')).toHaveValue(lastName)
  // What was typed besides the name is not dropped in silence: the form says what would change.
  await text(page, 'SSN').fill('987-65-4321')
  await create(page)
  // They have an order of this day too, so both are asked at once.
  await dialog.getByRole('radio', { name: /^Use / }).check()
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(suggestion).toContainText('Edited')
  await expect(text(page, 'SSN')).toHaveValue('987-65-4321')
  await expect(text(page, 'Middle Name')).toHaveValue('Q')
  await suggestion.click()
  await expect(text(page, 'SSN')).toHaveValue('•••-••-6789')
  await test.step('CREATE-91 PAT-095 a new patient is meant: the suggestions go', async () => {
    await page.getByRole('checkbox', { name: 'New Patient (hide suggestions)' }).check()
    await expect(suggestion).toBeHidden()
    // The dots stand for a number that only the other record holds.
    await expect(text(page, 'SSN')).toHaveValue('')
    await create(page)
    await expect(page).toHaveURL(shown)
  })
})

test('CREATE-85 CREATE-92 a patient whose record somebody corrects after they were chosen: both are shown, and the order goes on with what holds now', async ({
  page,
  faults,
}) => {
  faults.expect(/409/)
  const lastName = unique('Maiden')
  const api = callsOf(page.request, session)
  const earlier = await newRequisition(api, { patientFirstName: 'Nora', patientLastName: lastName, ...anotherDay })
  const { patient } = await api.get(`requisitions/${earlier}/patient`)
  await openAs(page, session, '/requisitions/create')
  await fillOrder(page)
  await text(page, 'Last Name').fill(lastName)
  await page.getByRole('complementary').getByRole('button', { name: lastName }).click()
  const married = unique('Married')
  await api.put(`requisitions/${earlier}/patients/${patient.id}`, { patientLastName: married })
  await create(page)
  const conflict = page.getByRole('dialog')
  await expect(conflict.getByRole('radio', { name: 'Last Name, theirs' })).toBeChecked()
  await expect(conflict.getByRole('row', { name: /Last Name/ })).toContainText(married)
  await conflict.getByRole('button', { name: 'Save again' }).click()
  await expect(page).toHaveURL(shown)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${married}, Nora`)
  const [made] = /\d+/.exec(page.url().split('/requisitions/')[1] ?? '') ?? []
  const { patient: ofMade } = await api.get(`requisitions/${made}/patient`)
  expect(ofMade.id).toBe(patient.id)
})

test('CREATE-88 DOC-50 DOC-54 SESS-G1 a session that ends in the middle of the form, and a scan that does not arrive: signed in again, the form is as it was, and the file is kept until it is sent', async ({
  page,
  faults,
}) => {
  faults.expect(/Failed to load resource/)
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/requisitions/create')
  const lastName = unique('Session')
  await fillOrder(page)
  await fillPatient(page, lastName)
  await page.locator('input[type=file]').setInputFiles(pdf)
  await endSessionOf(page, person)
  await page.route(/\/storage\?/, (route) => route.abort('connectionreset'), { times: 2 })
  // The window that asks for the password may be there before it, and hide it, or because of it.
  await page.getByRole('button', { name: 'Create', exact: true, includeHidden: true }).dispatchEvent('click')
  await signInAgain(page, person)
  await expect(page).toHaveURL(shown)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${lastName}, Nora`)
  const notice = page.getByRole('alert').filter({ hasText: 'order.pdf was not uploaded: S3 error' })
  await notice.getByRole('button', { name: 'Upload again' }).click()
  const section = page.getByRole('region', { name: 'Scanned Requisition' })
  await expect(section.getByText('Not uploaded: S3 error')).toBeVisible()
  // The file outlives the notice and the session.
  await endSessionOf(page, person)
  await page.getByRole('link', { name: 'Issues' }).click()
  await expect(page).toHaveURL(/\/login/)
  await signInAgain(page, person, page)
  await expect(page).toHaveURL(/\/show\/issues$/)
  await page.getByRole('link', { name: 'View', exact: true }).click()
  await section.getByRole('button', { name: 'Upload order.pdf again' }).click()
  await expect(page.getByText('Successfully uploaded')).toBeVisible()
  await expect(section.getByText('Not uploaded')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Scanned Requisition' }).getByText('order.pdf')).toBeVisible()
})

test('CREATE-88 a scan that is dropped while the order is being created goes with it, and nothing else is taken', async ({
  page,
}) => {
  await openAs(page, session, '/requisitions/create')
  await fillOrder(page)
  await fillPatient(page, unique('Late'))
  const letGo = await hold(page, '**/api/v3.0/requisitions', (request) => request.method() === 'POST')
  const sent = page.waitForRequest((request) => request.url().endsWith('/requisitions') && request.method() === 'POST')
  await create(page)
  await sent
  // It would be lost: the order is on its way as it was.
  await text(page, 'First Name').focus()
  await page.keyboard.type('h')
  await expect(text(page, 'First Name')).toHaveValue('Nora')
  await page.locator('input[type=file]').setInputFiles(pdf)
  await expect(page.getByText(pdf.name)).toBeVisible()
  letGo()
  await expect(page).toHaveURL(shown)
  const id = /\d+/.exec(new URL(page.url()).pathname)?.[0]
  const documents: object[] = await callsOf(page.request, session).get(`requisitions/${id}/docs`)
  expect(documents).toHaveLength(1)
})

test('CREATE-17 another client brings its own lab; who reloads while the scan is on its way is not offered the order again', async ({
  page,
  faults,
}) => {
  faults.expect(/Failed to load resource|ERR_ABORTED/)
  const api = callsOf(page.request, session)
  const clients: { clientName: string; clientTz: string }[] = await api.get('clients?perPage=50')
  const first = clients.find(({ clientName, clientTz }) => clientName !== client && clientTz !== 'TZNA')
  const person = await newPerson(page.request)
  await openAs(page, await sessionOf(page.request, person.userName, person.password), '/requisitions/create')
  await pick(page, 'Client', first?.clientName ?? '')
  await expect(box(page, 'Client Event')).not.toHaveText('')
  const letPresetsGo = await hold(page, /requisitions\/create\/presets\?clientId=/)
  await pick(page, 'Client', client)
  await expect(box(page, 'Client')).toHaveValue(client)
  await box(page, 'Physician').click()
  await expect(page.getByRole('option').first()).toBeVisible()
  await page.keyboard.press('Escape')
  expect((await box(page, 'Lab').textContent())?.replace(/\W/g, '')).toBe('')
  letPresetsGo()
  await expect(box(page, 'Lab')).not.toHaveText(/^\W*$/)
  await expect(box(page, 'Client Event')).toHaveText('Routine orders')
  await fillRest(page)
  const lastName = unique('Reload')
  const kept = page.waitForRequest(
    (request) => request.url().includes('/drafts/') && (request.postData() ?? '').includes(lastName),
  )
  await fillPatient(page, lastName)
  await kept
  await page.locator('input[type=file]').setInputFiles(pdf)
  await hold(page, /\/storage\?/)
  const onItsWay = page.waitForRequest(/\/storage\?/)
  const dropped = page.waitForResponse(
    (reply) => reply.url().includes('/drafts/') && reply.request().method() === 'DELETE',
  )
  await create(page)
  await onItsWay
  await dropped
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Add Requisition' })).toBeVisible()
  await expect(box(page, 'Collaborator')).not.toHaveValue('')
  await expect(page.getByRole('button', { name: 'Resume editing' })).toBeHidden()
})
