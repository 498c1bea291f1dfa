import type { Locator, Page } from '@playwright/test'
import { openAs, sessionOf } from '../support/people.ts'
import { type Calls, callsOf, card, completePatient, daysAgo, text, unique } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

type Session = Awaited<ReturnType<typeof sessionOf>>
let staff: Session
let partner: Session
test.beforeAll(async ({ playwright, baseURL }) => {
  const request = await playwright.request.newContext({ ...(baseURL && { baseURL }) })
  staff = await sessionOf(request, 'staff')
  partner = await sessionOf(request, 'collaborator')
  await request.dispose()
})

/** On a desk, a small screen and a phone, each scrolled to it. */
const lookAt = async (part: Locator, look: (page: Page, name: string) => Promise<void>, name: string) => {
  const page = part.page()
  for (const width of [1440, 1024, 390]) {
    await page.setViewportSize({ width, height: 900 })
    await part.scrollIntoViewIfNeeded()
    await look(page, name)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
}
interface Client {
  id: number
  clientTz: string
}
const order = async (api: Calls, clientId: number, over: object): Promise<number> => {
  const presets = await api.get(`requisitions/create/presets?clientId=${clientId}`)
  const [physician] = await api.get(`clients/${clientId}/physicians`)
  const { id } = await api.post('requisitions', {
    collaborator: presets.colaId,
    clientId,
    labId: presets.labId,
    eventId: presets.eventId,
    orderingClientPhysId: physician.clientPhysId,
    patientFirstName: 'Ingrid',
    patientDob: '1/12/1948',
    patientGenderCode: 'FEMALE',
    dateCollected: `${daysAgo(2)}T10:05`,
    answers: { DUPLICATE_ORDER: 'SAVE' },
    ...over,
  })
  return id
}
const withZone = ({ id, clientTz }: Client) => id > 5 && clientTz !== null && clientTz !== ''

/** A patient with one order of the partner and one of somebody else. */
const shared = async (ours: Calls, theirs: Calls) => {
  const own = ((await theirs.get('clients?perPage=50')) as Client[]).find(withZone)
  const known = ((await theirs.get('clients?perPage=-1')) as Client[]).map(({ id }) => id)
  const other = ((await ours.get('clients?perPage=200')) as Client[]).find(
    (client) => withZone(client) && !known.includes(client.id),
  )
  if (!own || !other) throw new Error('No clients of two collaborators')
  const patientLastName = unique('Shared')
  const id = await order(ours, own.id, { patientLastName })
  const { id: patientId } = await completePatient(ours, id)
  await order(ours, other.id, { patientLastName, patientId })
  return { id, patientId, patientLastName }
}

for (const { button, isTaken } of [
  { button: 'Take over', isTaken: true },
  { button: 'Refuse', isTaken: false },
])
  test(`a partner's change of a patient whom others share waits for the laboratory, which decides: ${button}`, async ({
    page,
    look,
  }) => {
    const [ours, theirs] = [callsOf(page.request, staff), callsOf(page.request, partner)]
    const { id, patientLastName } = await shared(ours, theirs)
    const wanted = unique('Wanted')
    const info = card(page, 'Patient Information')
    await openAs(page, partner, `/requisitions/${id}/show`)
    await info.getByRole('button', { name: 'Edit' }).click()
    await text(page, 'Last Name').fill(wanted)
    await text(page, 'DOB Year').fill('1949')
    await page.getByRole('button', { name: 'Save' }).first().click()
    await page.getByRole('dialog', { name: 'Same person?' }).getByRole('button', { name: 'Same person' }).click()
    await expect(page.getByText('The laboratory will review the change before it is made.')).toBeVisible()
    await expect(info).toContainText(patientLastName)
    await expect(info.getByRole('region', { name: 'Requested change' })).toHaveCount(0)

    await openAs(page, staff, `/requisitions/${id}/show`)
    const request = info.getByRole('region', { name: 'Requested change' })
    await expect(request.getByRole('row', { name: 'Last Name' })).toContainText(`${patientLastName}${wanted}`)
    await expect(request.getByRole('row', { name: 'Date of birth' })).toContainText('01/12/194801/12/1949')
    if (isTaken) await lookAt(request, look, 'patient-change')
    await request.getByRole('button', { name: button }).click()
    await expect(request).toHaveCount(0)
    await expect(info).toContainText(isTaken ? wanted : patientLastName)
    await expect(page.getByRole('heading', { level: 1 })).toContainText(isTaken ? wanted : patientLastName)
    const { patientLastName: now } = await ours.get(`requisitions/${id}`)
    expect(now).toBe(isTaken ? wanted : patientLastName)
  })

test('a released requisition shows the patient as it was released under, and says that the record has changed', async ({
  page,
  look,
}) => {
  const ours = callsOf(page.request, staff)
  const { id, patientId, patientLastName } = await shared(ours, callsOf(page.request, partner))
  const clients: Client[] = await ours.get('clients?perPage=50')
  const next = await order(ours, clients.find(withZone)?.id ?? 0, { patientLastName, patientId })
  await ours.put(`requisitions/${id}`, { reqStatusCode: 'RELEASE' })
  const married = unique('Married')
  await ours.put(`requisitions/${next}/patients/${patientId}`, {
    patientLastName: married,
    answers: { IDENTITY_CHANGE: 'SAME_PERSON' },
  })
  await openAs(page, staff, `/requisitions/${id}/show`)
  const info = card(page, 'Patient Information')
  const note = info.getByRole('region', { name: 'The record has changed' })
  await expect(note.getByRole('row', { name: 'Last Name' })).toContainText(`${patientLastName}${married}`)
  await expect(info.locator('dl').first()).toContainText(patientLastName)
  await expect(info.locator('dl').first()).not.toContainText(married)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(patientLastName)
  await lookAt(note, look, 'patient-kept')
  await note.getByRole('link', { name: 'Patient’s record' }).click()
  await expect(page).toHaveURL(`/requisitions/${id}/show/billing`)
  await expect(page.getByText(`Ingrid ${married}`)).toBeVisible()
  // The order in work follows the record, and has nothing to say about it.
  await page.goto(`/requisitions/${next}/show`)
  await expect(info).toContainText(married)
  await expect(note).toHaveCount(0)
})
