import { openAs, sessionOf } from '../support/people.ts'
import { callsOf, card, daysAgo, field, newRequisition, orderDay, text, unique } from '../support/requisition.ts'
import { deskAndPhone, expect, test } from '../support/test.ts'

let session: Awaited<ReturnType<typeof sessionOf>>
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  session = await sessionOf(request, 'staff')
  await request.dispose()
})

test('requisition information: edit, what is missing, save; duplicate', async ({ page, expectAccessible }) => {
  const id = await newRequisition(callsOf(page.request, session))
  await openAs(page, session, `/requisitions/${id}/show`)
  await test.step('DETAIL-027 DETAIL-028 the card has Edit', async () => {
    await card(page, 'Requisition Information').getByRole('button', { name: 'Edit' }).click()
    await expect(text(page, 'Collected Hours')).toHaveValue('10')
    await expect(page.getByRole('combobox', { name: 'Physician', exact: true })).not.toHaveValue('')
  })
  for (const name of ['Physician First Name', 'Physician Last Name']) {
    await expect(text(page, name)).toBeDisabled()
    await expect(text(page, name)).not.toHaveValue('')
  }
  for (const [id, name] of [
    ['DETAIL-105', 'Collaborator'],
    ['DETAIL-106', 'Client'],
    ['DETAIL-107', 'Physician'],
    ['DETAIL-108', 'Copy to Client'],
    ['DETAIL-109', 'Copy to Physician'],
    ['DETAIL-110', 'Client Event'],
    ['DETAIL-111', 'Lab'],
    ['DETAIL-112', 'External Order ID'],
    ['DETAIL-113', 'External Accession ID'],
    ['DETAIL-114', 'Fasting'],
    ['DETAIL-115', 'Collected Month'],
    ['DETAIL-116', 'Collected Day'],
    ['DETAIL-117', 'Collected Year'],
    ['DETAIL-118', 'Collected Hours'],
    ['DETAIL-119', 'Collected Minutes'],
    ['DETAIL-120', 'Time of day'],
    ['DETAIL-121', 'Centrifuged Hour'],
    ['DETAIL-122', 'Centrifuged Min'],
    ['DETAIL-123', 'Centrifuged AM/PM'],
    ['DETAIL-124', 'Collection Method'],
    ['DETAIL-125', 'Collected By'],
  ] as const)
    await test.step(`${id} the form has the field ${name}`, () => expect(field(page, name)).toBeVisible())
  const parts = ['Collected Month', 'Collected Day', 'Collected Year', 'Collected Hours', 'Collected Minutes']
  for (const name of parts) await text(page, name).fill('')
  const save = card(page, 'Requisition Information').getByRole('button', { name: 'Save' }).first()
  await test.step('DETAIL-029 DETAIL-030 the form has Save and Cancel', async () => {
    await expect(card(page, 'Requisition Information').getByRole('button', { name: 'Cancel' }).first()).toBeVisible()
    await save.click()
  })
  for (const [id, name] of [
    ['DETAIL-136', 'Collected Month'],
    ['DETAIL-137', 'Collected Day'],
    ['DETAIL-138', 'Collected Year'],
    ['DETAIL-139', 'Collected Hours'],
    ['DETAIL-140', 'Collected Minutes'],
    ['DETAIL-141', 'Centrifuged Hour'],
    ['DETAIL-142', 'Centrifuged Min'],
  ] as const)
    await test.step(`${id} ${name} is required`, () => expect(page.getByText(`${name} is required`)).toBeVisible())
  await expectAccessible(page)
  for (const [index, value] of ['03', '08', '2026', '2', '30'].entries())
    await text(page, parts[index] ?? '').fill(value)
  await text(page, 'Centrifuged Hour').fill('7')
  await text(page, 'Centrifuged Min').fill('40')
  await test.step('DETAIL-146 DETAIL-147 a time that does not exist is reported in a notice, and nothing is saved', async () => {
    await save.click()
    await expect(page.getByRole('alert').filter({ hasText: 'This time does not exist' }).first()).toBeVisible()
  })
  await text(page, 'Collected Hours').fill('9')
  await text(page, 'Collected By').fill('L. Marchetti')
  // Somebody else has set another moment meanwhile: one of the two is right, and no day of one with the hour of the other.
  const other = daysAgo(4)
  await callsOf(page.request, session).put(`requisitions/${id}`, { dateCollected: `${other}T11:05` })
  await save.click()
  const conflict = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  const row = conflict.getByRole('row', { name: /Date Collected/ })
  await expect(row).toContainText('03/08/2026 09:30 AM')
  await expect(row).toContainText(`${other.slice(5, 7)}/${other.slice(8)}/${other.slice(0, 4)} 11:05 AM`)
  await expect(conflict.getByRole('row', { name: /Collected (Day|Hours)/ })).toHaveCount(0)
  const sent = page.waitForRequest(
    (request) => request.method() === 'PUT' && request.url().endsWith(`/requisitions/${id}`),
  )
  await conflict.getByRole('button', { name: 'Save again' }).click()
  await test.step('DETAIL-128 DETAIL-145 the parts are not sent, but the moment that they make', async () => {
    const body = (await sent).postDataJSON() as Record<string, unknown>
    expect(Object.keys(body).filter((name) => /(Month|Year|Hours|Minutes|AmPm)$/.test(name))).toEqual([])
    expect(body.dateCollected).toMatch(/^2026-03-08T/)
  })
  const question = page.getByRole('dialog', { name: 'Please check before saving' })
  await expect(question).toContainText(/The sample was collected \d+ days ago/)
  await expect(question).toContainText('centrifuged at 07:40, but collected at 09:30')
  await question.getByRole('button', { name: 'Save anyway' }).click()
  await expect(page.getByText('Successfully updated').first()).toBeVisible()
  await expect(card(page, 'Requisition Information')).toContainText('03/08/26 09:30')
  await expect(card(page, 'Requisition Information')).toContainText('L. Marchetti')

  await test.step('DETAIL-008 without a source there is no such line', async () => {
    await expect(page.getByText('Copy of #')).toHaveCount(0)
  })
  await test.step('DETAIL-007 DETAIL-041 the copy opens and names its source', async () => {
    await page.getByRole('button', { name: 'Duplicate This Requisition' }).click()
    const dialog = page.getByRole('dialog', { name: `Duplicate requisition #${id}?` })
    await dialog.getByRole('button', { name: 'Duplicate' }).click()
    await expect(dialog.getByText('The new sample is required')).toBeVisible()
    await dialog.getByRole('radio', { name: 'Is collected later' }).check()
    await dialog.getByRole('button', { name: 'Duplicate' }).click()
    await expect(page.getByText(`Copy of #${id}`)).toBeVisible()
    await expect(page).toHaveURL(/\/requisitions\/\d+\/show$/)
    expect(page.url()).not.toContain(`/${id}/`)
  })
})

test('a copy of a requisition gets the collection of its own sample, and nothing of the old one', async ({
  page,
  look,
}) => {
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const [year = '', month = '', date = ''] = daysAgo(2).split('-')
  await openAs(page, session, `/requisitions/${id}/show`)
  await page.getByRole('button', { name: 'Duplicate This Requisition' }).click()
  const dialog = page.getByRole('dialog', { name: `Duplicate requisition #${id}?` })
  await dialog.getByRole('radio', { name: 'Has been collected' }).check()
  // The times of the old draw are not offered.
  for (const name of ['Collected Month', 'Collected Day', 'Collected Hours'])
    await expect(dialog.getByRole('textbox', { name })).toHaveValue('')
  await dialog.getByRole('textbox', { name: 'Collected Month' }).fill(month)
  await dialog.getByRole('textbox', { name: 'Collected Day' }).fill(date)
  await dialog.getByRole('textbox', { name: 'Collected Year' }).fill(year)
  await dialog.getByRole('button', { name: 'Duplicate' }).click()
  await expect(dialog.getByText('Collected Hours is required')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Collected Hours' }).fill('7')
  await dialog.getByRole('textbox', { name: 'Collected Minutes' }).fill('45')
  await look(page, 'duplicate', deskAndPhone)
  await dialog.getByRole('button', { name: 'Duplicate' }).click()
  await expect(page.getByText(`Copy of #${id}`)).toBeVisible()
  await expect(card(page, 'Requisition Information')).toContainText(`${month}/${date}/${year.slice(2)} 07:45`)
})

test('patient and history: one Save for both, two people at once, a failed one keeps what was typed', async ({
  page,
  expectAccessible,
}) => {
  const api = callsOf(page.request, session)
  const lastName = unique('Patient')
  const id = await newRequisition(api, { patientLastName: lastName })
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Patient Information')
  const history = card(page, 'Patient History')
  await test.step('PAT-060 PAT-061 the height is shown in feet and inches, and isLowHdl as Diabetes medication', async () => {
    await expect(history).toContainText('5 ft 6 in')
    await expect(history).toContainText('Diabetes medication')
  })
  await expect(info).toContainText('•••-••-6789')
  await info.getByRole('button', { name: 'Show SSN' }).click()
  await expect(info).toContainText('123-45-6789')
  await test.step('PAT-001..PAT-004 PAT-009 Edit, Save and Cancel switch the patient between view and form', async () => {
    await info.getByRole('button', { name: 'Edit' }).click()
    await expect(text(page, 'First Name')).toBeFocused()
    await expect(info.getByRole('button', { name: 'Save' }).first()).toBeVisible()
    await info.getByRole('button', { name: 'Cancel' }).first().click()
    await expect(info.getByRole('button', { name: 'Edit' })).toBeFocused()
  })
  await test.step('PAT-005 PAT-006 PAT-007 the history has Edit and Cancel', async () => {
    await history.getByRole('button', { name: 'Edit' }).click()
    await expect(history.locator(':focus')).toHaveCount(1)
    await expect(history.getByRole('button', { name: 'Cancel' }).first()).toBeVisible()
  })
  const save = history.getByRole('button', { name: 'Save' }).first()
  await save.click()
  for (const [id, name] of [
    ['PAT-073', 'State'],
    ['PAT-077', 'Patient HX of MI'],
    ['PAT-078', 'Stress'],
    ['PAT-079', 'Diabetes medication'],
    ['PAT-080', 'Lipid lowering medication'],
    ['PAT-081', 'Hypertension'],
    ['PAT-082', 'Blood pressure medication'],
    ['PAT-083', 'Medical necessity'],
  ] as const)
    await test.step(`${id} ${name} is required`, () => expect(page.getByText(`${name} is required`)).toBeVisible())
  for (const [id, name] of [
    ['PAT-062', 'Weight'],
    ['PAT-063', 'Height Feet'],
    ['PAT-064', 'Smoker'],
    ['PAT-065', 'SBP'],
    ['PAT-066', 'Lipid lowering medication'],
    ['PAT-067', 'Covid vaccinated'],
    ['PAT-068', 'Family history of T2D'],
    ['PAT-069', 'Personal T2D/gestational'],
  ] as const)
    await test.step(`${id} ${name} is edited while the order is in work`, () => expect(field(page, name)).toBeVisible())
  await expectAccessible(page)
  await page.getByRole('combobox', { name: 'Country' }).fill('United States')
  await page.getByRole('option', { name: 'United States', exact: true }).click()
  await page.getByRole('combobox', { name: 'State' }).fill('Oregon')
  await page.getByRole('option', { name: 'Oregon' }).click()
  const questions = [
    'Stress',
    'Patient HX of MI',
    'Hypertension',
    'Diabetes medication',
    'Lipid lowering medication',
    'Blood pressure medication',
    'Medical necessity',
  ]
  for (const name of questions)
    await page.getByRole('radiogroup', { name, exact: true }).getByRole('radio', { name: 'No' }).check()
  await text(page, 'City').fill('Salem')
  await text(page, 'Weight').fill('171')
  await test.step('PAT-008 PAT-010 PAT-011 PAT-012 one Save stores patient and history, and shows what is stored', async () => {
    await save.click()
    await expect(page.getByText('Successfully updated').first()).toBeVisible()
    await expect(info).toContainText('Salem')
    await expect(history).toContainText('171 lb')
    await expect(history.getByRole('button', { name: 'Edit' })).toBeFocused()
  })
  // Meanwhile somebody else has saved: theirs is taken over, and where both have changed the person decides.
  await info.getByRole('button', { name: 'Edit' }).click()
  await expect(page.getByRole('combobox', { name: 'State' })).toHaveValue('Oregon')
  const { patient } = await api.get(`requisitions/${id}/patient`)
  await api.put(`requisitions/${id}/patients/${patient.id}`, { patientCity: 'Bend', patientZip: '97701' })
  await api.put(`requisitions/${id}/patient_hists/${id}`, { heightUom: 'CM', heightCm: 168 })
  await text(page, 'City').fill('Eugene')
  await text(page, 'Address 1').fill('118 Thistledown Ln')
  await save.click()
  const conflict = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  await expect(conflict.getByRole('row', { name: /City/ })).toContainText('Eugene')
  await expect(conflict.getByRole('row', { name: /City/ })).toContainText('Bend')
  await expect(conflict.getByRole('radio', { name: 'Zip, theirs' })).toBeChecked()
  await expect(conflict.getByRole('radio', { name: 'City, yours' })).toBeChecked()
  // On a phone there is no head over the columns: each value says whose it is.
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(conflict.getByRole('row', { name: /City/ }).getByText('Yours', { exact: true })).toBeVisible()
  await page.setViewportSize({ width: 1440, height: 900 })
  await conflict.getByRole('button', { name: 'Save again' }).click()
  // Then the history: a height is one value with its unit, also where that unit's field is not in view here.
  await expect(conflict.getByRole('row', { name: /Height/ })).toContainText('5 ft 6 in')
  await expect(conflict.getByRole('radio', { name: 'Height, theirs' })).toBeChecked()
  await conflict.getByRole('button', { name: 'Save again' }).click()
  for (const kept of ['Eugene', '97701', '118 Thistledown Ln']) await expect(info).toContainText(kept)
  await expect(history).toContainText('168 cm')

  await info.getByRole('button', { name: 'Edit' }).click()
  await text(page, 'City').fill('Portland')
  await test.step('PAT-013 PAT-014 a save that fails ends the editing and reads the record again', async () => {
    await api.put(`requisitions/${id}`, { reqStatusCode: 'RESULT' })
    await save.click()
    await expect(page.getByText(/name, birth date|can no longer be/).first()).toBeVisible()
    await expect(text(page, 'City')).toBeHidden()
  })
  await api.put(`requisitions/${id}`, { reqStatusCode: 'LOG' })
  await page.reload()
  await info.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Resume editing' }).click()
  await expect(text(page, 'City')).toHaveValue('Portland')

  // A name is that of the patient, so also on their other requisitions; an address says nothing of who it is.
  await api.post(`requisitions/${id}/copy`, {})
  await expect(page.getByText(/This patient has/)).toBeHidden()
  await text(page, 'First Name').fill('Edith')
  await expect(
    page.getByText('This patient has 2 requisitions, and the change will show on all of them.'),
  ).toBeVisible()
  await page.getByRole('checkbox', { name: /New Patient/ }).check()
  await expect(page.getByText(/This patient has/)).toBeHidden()
})

test('PAT-095 PAT-G12 a new patient takes nothing of the former one that only that record holds, and what is typed for them is nobody else’s draft', async ({
  page,
}) => {
  const api = callsOf(page.request, session)
  const id = await newRequisition(api, { patientSsn: '123-45-6789' })
  const { patient } = await api.get(`requisitions/${id}/patient`)
  const states: { id: number; stateLongname: string }[] = await api.get('states')
  await api.put(`requisitions/${id}/patients/${patient.id}`, {
    patientCity: 'Salem',
    patientStateId: states.find(({ stateLongname }) => stateLongname === 'Oregon')?.id,
    patientEmail: 'former@patient.example',
    patientHomePhone: '15035550142',
  })
  await openAs(page, session, `/requisitions/${id}/show`)
  await card(page, 'Patient Information').getByRole('button', { name: 'Edit' }).click()
  await expect(text(page, 'Email')).toHaveValue('former@patient.example')
  await text(page, 'First Name').fill('Somebodyelse')
  await page.getByRole('checkbox', { name: /New Patient/ }).check()
  // Longer than a draft waits for a pause in typing.
  await page.waitForTimeout(1500)
  expect(await api.get(`drafts/patient/${id}-${patient.id}`)).toEqual([])
  // The notice of results must not reach the former one.
  for (const name of ['SSN', 'Email', 'Home Phone']) await expect(text(page, name)).toHaveValue('')
  await expect(text(page, 'City')).toHaveValue('Salem')
  await page.getByRole('checkbox', { name: /New Patient/ }).uncheck()
  await expect(text(page, 'Email')).toHaveValue('former@patient.example')
  await expect(text(page, 'SSN')).toHaveValue('•••-••-6789')
})

const answers = Object.fromEntries(
  [
    'isSmoker',
    'isDiabetic',
    'isFamilyHistory',
    'isPatientHistory',
    'isStress',
    'isLowHdl',
    'isLipidMed',
    'isHypertension',
    'isBloodMed',
    'isMedNecessity',
    'isObesity',
    'isCovidVac',
    'isSelfT2DGest',
  ].map((name) => [name, 0]),
)

test('PAT-G12 the form of a patient writes to the one who is chosen: after a half-finished save, after a failure, and never to whom somebody else has taken away', async ({
  page,
  faults,
}) => {
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const otherReq = await newRequisition(api, { patientFirstName: 'Rosalind' })
  const { patient: edna } = await api.get(`requisitions/${id}/patient`)
  const { patient: rosalind } = await api.get(`requisitions/${otherReq}/patient`)
  const states: { id: number; stateLongname: string }[] = await api.get('states')
  const patientStateId = states.find(({ stateLongname }) => stateLongname === 'Oregon')?.id
  const address = {
    patientAddr1: '1 Elm St',
    patientCity: 'Salem',
    patientStateId,
    patientZip: '97301',
    patientEmail: 'a@b.example',
  }
  await api.put(`requisitions/${id}/patients/${edna.id}`, address)
  await api.put(`requisitions/${otherReq}/patients/${rosalind.id}`, address)
  await api.put(`requisitions/${id}/patient_hists/${id}`, answers)
  const nameOf = async (patientId: number, reqId: number) => {
    const { patient } = await api.get(`requisitions/${reqId}/patient`)
    return patient.id === patientId && patient.patientFirstName
  }
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Patient Information')
  const edit = () => info.getByRole('button', { name: 'Edit' }).click()
  const save = page.getByRole('button', { name: 'Save' }).first()
  const chooseRosalind = async () => {
    await text(page, 'Last Name').fill(rosalind.patientLastName)
    await text(page, 'First Name').fill('Ros')
    await page.getByRole('button', { name: /Rosalind/ }).click()
    await expect(text(page, 'First Name')).toHaveValue('Rosalind')
  }

  // The history is refused after the patient has been saved; then somebody else is chosen.
  await edit()
  await api.put(`requisitions/${id}/patient_hists/${id}`, { weight: 150 })
  await text(page, 'Weight').fill('171')
  await save.click()
  const conflict = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  await conflict.getByRole('button', { name: 'Back to the form' }).click()
  await chooseRosalind()
  await save.click()
  await conflict.getByRole('button', { name: 'Save again' }).click()
  await expect(info.getByRole('button', { name: 'Edit' })).toBeVisible()
  expect(await nameOf(rosalind.id, id)).toBe('Rosalind')
  const again = await api.post(`requisitions/${id}/copy`, {})
  await api.put(`requisitions/${again.id}/patients/${edna.id}`, {})
  expect(await nameOf(edna.id, again.id)).toBe('Edna')

  // A failure keeps for whom it was typed.
  faults.expect(/ERR_FAILED|409/)
  await api.put(`requisitions/${again.id}/patient_hists/${again.id}`, answers)
  await page.goto(`/requisitions/${again.id}/show`)
  await edit()
  await chooseRosalind()
  await page.route('**/patients/*', (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()))
  await save.click()
  await page.getByRole('button', { name: 'Resume editing' }).click()
  await expect(page.getByText(`Saving gives this requisition to ${rosalind.patientLastName}, Rosalind`)).toBeVisible()
  await page.unrouteAll({ behavior: 'wait' })
  await save.click()
  await expect(info.getByRole('button', { name: 'Edit' })).toBeVisible()
  expect(await nameOf(rosalind.id, again.id)).toBe('Rosalind')

  // Meanwhile the requisition is given to somebody else: it stays with them, and nothing of the form is written.
  await edit()
  await text(page, 'City').fill('Portland')
  await api.put(`requisitions/${again.id}/patients/${edna.id}`, {})
  await save.click()
  await expect(page.getByText(/has been given to .*, Edna in the meantime/).first()).toBeVisible()
  await expect(info).toContainText('Edna')
  expect(await nameOf(edna.id, again.id)).toBe('Edna')
  // What was typed was not meant for her.
  await page.getByRole('button', { name: 'Resume editing' }).click()
  await expect(text(page, 'First Name')).toHaveValue('Edna')
  await expect(text(page, 'City')).not.toHaveValue('Portland')
  await text(page, 'Weight').fill('144')
  await expect(text(page, 'Weight')).toHaveValue('144')
})

test('PAT-G12 who leaves the form after the patient was saved without the history sees whose requisition it is now', async ({
  page,
  faults,
}) => {
  faults.expect(/409|ERR_FAILED/)
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const otherReq = await newRequisition(api, { patientFirstName: 'Beatrix' })
  const { patient: beatrix } = await api.get(`requisitions/${otherReq}/patient`)
  const states: { id: number; stateLongname: string }[] = await api.get('states')
  await api.put(`requisitions/${otherReq}/patients/${beatrix.id}`, {
    patientAddr1: '1 Elm St',
    patientCity: 'Salem',
    patientStateId: states.find(({ stateLongname }) => stateLongname === 'Oregon')?.id,
    patientZip: '97301',
    patientEmail: 'a@b.example',
  })
  await api.put(`requisitions/${id}/patient_hists/${id}`, answers)
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Patient Information')
  const save = page.getByRole('button', { name: 'Save' }).first()
  const half = 'The patient is saved; the history is not.'
  await info.getByRole('button', { name: 'Edit' }).click()
  await text(page, 'Last Name').fill(beatrix.patientLastName)
  await text(page, 'First Name').fill('Bea')
  await page.getByRole('button', { name: /Beatrix/ }).click()
  await expect(text(page, 'First Name')).toHaveValue('Beatrix')
  await text(page, 'SBP').fill('131')
  await text(page, 'DBP').fill('81')
  await api.put(`requisitions/${id}/patient_hists/${id}`, { sbp: 120, dbp: 80 })
  await save.click()
  const conflict = page.getByRole('dialog', { name: /has changed this record in the meantime/ })
  await conflict.getByRole('button', { name: 'Back to the form' }).click()
  await expect(page.getByText(half)).toBeVisible()
  // At once, not only when the form is left.
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Beatrix')
  await info.getByRole('button', { name: 'Cancel' }).first().click()
  await expect(info).toContainText('Beatrix')
  await expect(info).not.toContainText('Edna')
  await expect(card(page, 'Patient History')).toContainText('120 / 80')

  // A history that does not arrive says the same; given up, it does not come back with the next Edit.
  await page.route('**/patient_hists/*', (route) => route.abort())
  await info.getByRole('button', { name: 'Edit' }).click()
  await text(page, 'Weight').fill('171')
  await save.click()
  await expect(page.getByText(half).first()).toBeVisible()
  await page.getByRole('button', { name: 'Resume editing' }).click()
  await expect(text(page, 'Weight')).toHaveValue('171')
  await save.click()
  await info.getByRole('button', { name: 'Edit' }).click()
  await expect(text(page, 'Weight')).toHaveValue('')
})

test('CLI-G15 DETAIL-128 DETAIL-145 a time is saved by the clocks by which it is shown, and a physician who has left the practice stays', async ({
  page,
}) => {
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const before = await api.get(`requisitions/${id}`)
  const elsewhere = before.collectedTz === 'Pacific/Honolulu' ? 'America/Chicago' : 'Pacific/Honolulu'
  await page.route(`**/api/v3.0/requisitions/${id}`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const reply = await route.fetch()
    const body = await reply.json()
    await route.fulfill({ response: reply, json: { ...body, data: { ...body.data, clientTz: elsewhere } } })
  })
  await page.route(/\/clients\/\d+\/physicians/, async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ response: reply, json: { ...(await reply.json()), data: [], total: 0 } })
  })
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Requisition Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  await expect(page.getByRole('combobox', { name: 'Physician', exact: true })).toHaveValue(
    `${before.physFirstName} ${before.physLastName}`,
  )
  await expect(text(page, 'Physician Last Name')).toHaveValue(before.physLastName)
  await expect(text(page, 'Collected Hours')).toHaveValue('10')
  await text(page, 'Collected Minutes').fill('15')
  await text(page, 'Centrifuged Hour').fill('11')
  await text(page, 'Centrifuged Min').fill('40')
  await info.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Successfully updated').first()).toBeVisible()
  await expect(info).toContainText(`${orderDay().slice(5, 7)}/${orderDay().slice(8)}/${orderDay().slice(2, 4)} 10:15`)
  const after = await api.get(`requisitions/${id}`)
  expect(Date.parse(after.dateCollected) - Date.parse(before.dateCollected)).toBe(10 * 60_000)
  expect([after.collectedTz, after.physId]).toEqual([before.collectedTz, before.physId])
})

test('DETAIL-128 another client takes its physicians along: nobody of the former one gets a copy', async ({ page }) => {
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const before = await api.get(`requisitions/${id}`)
  await api.put(`requisitions/${id}`, { copyToClientPhysId: before.orderingClientPhysId, timeCentrifuged: '19:40' })
  const clients: { id: number; clientName: string; clientTz: string }[] = await api.get('clients?perPage=50')
  const other = clients.find((one) => one.id > 5 && one.id !== before.clientId && one.clientTz !== 'TZNA')
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Requisition Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  const copy = page.getByRole('combobox', { name: 'Copy to Physician' })
  await expect(copy).not.toHaveValue('')
  await page.getByRole('combobox', { name: 'Client', exact: true }).fill(other?.clientName ?? '')
  await page
    .getByRole('option', { name: other?.clientName ?? '', exact: true })
    .first()
    .click()
  await expect(copy).toHaveValue('')
  for (const name of ['Physician', 'Client Event', 'Lab']) {
    await page.getByRole('combobox', { name, exact: true }).click()
    await page.getByRole('option').first().click()
  }
  await info.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Successfully updated').first()).toBeVisible()
  expect(await api.get(`requisitions/${id}`)).toMatchObject({ clientId: other?.id, copyToClientPhysId: null })
})
