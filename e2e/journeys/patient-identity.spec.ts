import { create, fillOrder, fillPatient, shown } from '../support/order-form.ts'
import { openAs, sessionOf } from '../support/people.ts'
import {
  box,
  callsOf,
  card,
  clientWithZone,
  completePatient,
  newRequisition,
  text,
  unique,
} from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

let session: Awaited<ReturnType<typeof sessionOf>>
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  session = await sessionOf(request, 'staff')
  await request.dispose()
})
test('DAY-31 DAY-36 who types another identity over a patient is asked whether it is the same person, with nothing put forward', async ({
  page,
  look,
}) => {
  const api = callsOf(page.request, session)
  const lastName = unique('Before')
  const id = await newRequisition(api, { patientFirstName: 'Alice', patientLastName: lastName })
  const patient = await completePatient(api, id)
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Patient Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  await text(page, 'First Name').fill('Bob')
  await text(page, 'DOB Year').fill('1985')
  await page.getByRole('button', { name: 'Save' }).first().click()
  const question = page.getByRole('dialog', { name: 'Same person?' })
  await expect(question.getByRole('row', { name: 'First Name' })).toContainText('Alice')
  await expect(question.getByRole('row', { name: 'First Name' })).toContainText('Bob')
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
  for (const button of await question.getByRole('button').all())
    await expect(button).not.toHaveClass(/MuiButton-contained/)
  await look(page, 'same-person', deskAndPhone)
  // Back to the form: nothing is saved and nothing is lost.
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(text(page, 'First Name')).toHaveValue('Bob')
  expect((await api.get(`requisitions/${id}/patient`)).patient.patientFirstName).toBe('Alice')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await question.getByRole('button', { name: 'Another person' }).click()
  await expect(info).toContainText('Bob')
  const now = await api.get(`requisitions/${id}`)
  expect([now.patientFirstName, now.patientId === patient.id, now.isDemQcPass]).toEqual(['Bob', false, 0])
})

test('DAY-15 a spelling mistake is corrected in the header of a requisition whose patient has no address', async ({
  page,
  look,
}) => {
  const api = callsOf(page.request, session)
  const lastName = unique('Speling')
  const id = await newRequisition(api, { patientFirstName: 'Alice', patientLastName: lastName })
  await openAs(page, session, `/requisitions/${id}/show`)
  await page.getByRole('button', { name: 'Correct name, birth date or sex' }).click()
  const dialog = page.getByRole('dialog', { name: 'Correct name, birth date or sex' })
  await expect(text(page, 'Last Name')).toHaveValue(lastName)
  await text(page, 'First Name').fill('Alicia')
  await look(page, 'correct-identity', deskAndPhone)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${lastName}, Alicia`)
  await test.step('DAY-15 State says what it waits for', async () => {
    await card(page, 'Patient Information').getByRole('button', { name: 'Edit' }).click()
    await expect(box(page, 'State')).toHaveAttribute('placeholder', 'Choose a country first')
    await expect(box(page, 'State')).toBeDisabled()
  })
  await test.step('DAY-15 a weight is converted with its unit, and back', async () => {
    await text(page, 'Weight').fill('151')
    for (const [unit, value] of [
      ['kg', '68'],
      ['lb', '151'],
    ] as const) {
      await box(page, 'Weight unit').click()
      await page.getByRole('option', { name: unit, exact: true }).click()
      await expect(text(page, 'Weight')).toHaveValue(value)
    }
  })
})

test('PAT-097 somebody who is known is suggested although sex and middle name are still those of the former patient', async ({
  page,
}) => {
  const api = callsOf(page.request, session)
  const wanted = unique('Lefevre')
  await newRequisition(api, { patientFirstName: 'Ingrid', patientLastName: wanted, patientGenderCode: 'FEMALE' })
  const id = await newRequisition(api, {
    patientFirstName: 'Otto',
    patientMiddleName: 'Quentin',
    patientLastName: unique('Former'),
    patientGenderCode: 'MALE',
  })
  await openAs(page, session, `/requisitions/${id}/show`)
  await card(page, 'Patient Information').getByRole('button', { name: 'Edit' }).click()
  await text(page, 'First Name').fill('Ingrid')
  await text(page, 'Last Name').fill(wanted)
  const suggested = page.getByRole('complementary', { name: 'Suggested patients' })
  await expect(suggested.getByRole('button', { name: new RegExp(wanted) })).toBeVisible()
})

test('DAY-12 DAY-14 an order names its tests, and the same order once more is asked about with the safe choice filled', async ({
  page,
}) => {
  const api = callsOf(page.request, session)
  const client = (await clientWithZone(api)).clientName
  const lastName = unique('Tested')
  const [panel] = (await api.get('requisitions/create/tests')) as { code: string; desc: string; testCodes: string[] }[]
  const order = async () => {
    await page.goto('/requisitions/create')
    await fillOrder(page, client)
    await fillPatient(page, lastName)
    await box(page, 'Tests').fill(panel?.code ?? '')
    await page
      .getByRole('option', { name: `${panel?.code} ${panel?.desc}` })
      .first()
      .click()
    await page.keyboard.press('Escape')
  }
  await openAs(page, session, '/requisitions/create')
  await order()
  await create(page)
  await expect(page).toHaveURL(shown)
  const first = Number(/\d+/.exec(new URL(page.url()).pathname)?.[0])
  const tests: { testCode: string }[] = await api.get(`requisitions/${first}/req_tests`)
  expect(tests.map(({ testCode }) => testCode).sort()).toEqual([...(panel?.testCodes ?? [])].sort())

  await order()
  await create(page)
  const namesake = page.getByRole('dialog', { name: 'Which patient?' })
  // The safe choice is the filled button, and none that makes a second record is.
  await expect(namesake.locator('.MuiButton-contained')).toHaveText(['Cancel'])
  await expect(namesake.getByText('Make a new patient')).toBeVisible()
  // All at once: the known patient has an order of this day too.
  await expect(namesake).toContainText(`#${first}`)
  await expect(namesake.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await namesake.getByRole('button', { name: 'Cancel' }).click()
  await expect(page).toHaveURL('/requisitions/create')
  await expect(text(page, 'Last Name')).toHaveValue(lastName)
})
