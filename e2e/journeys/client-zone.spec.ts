import type { Page } from '@playwright/test'
import { create, fillOrder, fillPatient } from '../support/order-form.ts'
import { openAs, sessionOf, uniqueName } from '../support/people.ts'
import { type Calls, callsOf, card, newRequisition, text, unique } from '../support/requisition.ts'
import { expect, test } from '../support/test.ts'

const missing = "Client Timezone is not available, please make sure the client's timezone is set correctly."
const error = (page: Page, words: string) => page.locator('.error[role=alert]').filter({ hasText: words })

/** A client of our own in a place with a known zone, with a physician and an event. */
const newClient = async (api: Calls) => {
  const [state] = await api.get('states?filter=[stateCode:IL]')
  const [first] = await api.get('collaborators?perPage=1')
  const [lab] = await api.get('labs')
  const [type] = await api.get('lovs/BILLTYPE')
  const [physician] = await api.get('physicians?perPage=1')
  const [program] = await api.get('programs')
  const clientName = `Practice ${uniqueName()}`
  const { id } = await api.post('clients', {
    clientName,
    clientAddr1: '1 Main St',
    clientCity: 'Springfield',
    clientCountryId: state.countryId,
    clientStateId: state.id,
    clientZip: '62701',
    clientPhone: '12175550142',
    colaId: first.id,
    labIds: [lab.id],
    clientTransmitMethodCode: 'PORTAL',
    clientBillTypeCode: type.code,
  })
  await api.put(`clients/${id}`, { physIds: [physician.id] })
  const { id: eventId } = await api.post('events', {
    clientId: id,
    eventName: 'Routine orders',
    programId: program.id,
  })
  const [{ clientPhysId }] = await api.get(`clients/${id}/physicians`)
  return { clientId: id as number, clientName, order: { clientId: id, eventId, orderingClientPhysId: clientPhysId } }
}

test('CREATE-77 CREATE-78 DETAIL-143 LOOK-124 where the time zone of the client is not known, no collection time is taken, in a new order or in an edited one', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const { clientId, clientName, order } = await newClient(api)
  const { labId, colaId } = await api.get(`requisitions/create/presets?clientId=${clientId}`)
  const id = await newRequisition(api, { ...order, labId, collaborator: colaId })
  await api.put(`clients/${clientId}`, { clientCity: 'Atlantis', clientZip: '00000' })
  expect((await api.get(`clients/${clientId}`)).clientTz).toBe('TZNA')
  const writes: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (['POST', 'PUT'].includes(request.method()) && /\/requisitions(\/\d+)?$/.test(pathname)) writes.push(pathname)
  })

  await openAs(page, session, '/requisitions/create')
  await fillOrder(page, clientName)
  await expect(card(page, 'Ordering Physician').getByText(missing)).toBeVisible()
  await fillPatient(page, unique('Zone'))
  await create(page)
  await expect(error(page, missing)).toBeVisible()
  await expect(card(page, 'Specimen Information').getByText(missing)).toBeVisible()
  await expect(page).toHaveURL('/requisitions/create')

  await page.goto(`/requisitions/${id}/show`)
  const info = card(page, 'Requisition Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  await text(page, 'Centrifuged Hour').fill('11')
  await text(page, 'Centrifuged Min').fill('40')
  await text(page, 'Collected Minutes').fill('15')
  await info.getByRole('button', { name: 'Save' }).first().click()
  await expect(error(page, missing)).toBeVisible()
  await expect(info.getByText(missing)).toBeVisible()
  expect(writes).toEqual([])
  // What says nothing of the time is saved.
  await text(page, 'Collected Minutes').fill('05')
  await text(page, 'Collected By').fill('Bo')
  await info.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Successfully updated').first()).toBeVisible()
  expect((await api.get(`requisitions/${id}`)).collectedBy).toBe('Bo')
})

test('DETAIL-134 DETAIL-135 in the edit form the names of the physician are required, and a physician without them is refused at the fields', async ({
  page,
}) => {
  const session = await sessionOf(page.request, 'staff')
  const api = callsOf(page.request, session)
  const id = await newRequisition(api)
  const { physFirstName, physLastName } = await api.get(`requisitions/${id}`)
  await openAs(page, session, `/requisitions/${id}/show`)
  const info = card(page, 'Requisition Information')
  await info.getByRole('button', { name: 'Edit' }).click()
  const first = text(page, 'Physician First Name')
  const last = text(page, 'Physician Last Name')
  for (const [field, name] of [
    [first, physFirstName],
    [last, physLastName],
  ]) {
    await expect(field).toHaveValue(name)
    await expect(field).toBeDisabled()
    await expect(field).toHaveAttribute('required')
  }
  await text(page, 'Centrifuged Hour').fill('11')
  await text(page, 'Centrifuged Min').fill('40')
  // Every form of the product asks for both names, so no physician lacks one: the answer is the server's to such a record.
  await page.route(`**/api/v3.0/requisitions/${id}`, (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({
          status: 400,
          json: {
            code: 'invalid',
            message: 'Physician First Name is required',
            errors: [
              { field: 'physFirstName', message: 'Physician First Name is required' },
              { field: 'physLastName', message: 'Physician Last Name is required' },
            ],
            requestId: '1',
          },
        })
      : route.fallback(),
  )
  await info.getByRole('button', { name: 'Save' }).first().click()
  await expect(first).toHaveAccessibleDescription(/Physician First Name is required/)
  await expect(last).toHaveAccessibleDescription(/Physician Last Name is required/)
})
