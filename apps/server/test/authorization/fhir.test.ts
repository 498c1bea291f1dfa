import type { Bundle, Resource } from '@medplum/fhirtypes'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeApiClient } from '../api-client.ts'
import type { Caller } from '../app.ts'
import { openDeliveries } from '../deliveries.ts'
import { type FhirCaller, fhirCaller } from '../fhir.ts'

const world = openDeliveries()
const { test } = world
const roles = ['STF', 'CLNT', 'PHYS', 'COLA', 'SLS', 'BILL'] as const
type ClientRole = (typeof roles)[number]

/** The parts of an order in scope that each role may read, by the tabs of its page. */
const readers: Record<string, readonly ClientRole[]> = {
  Patient: roles,
  ServiceRequest: roles,
  Observation: roles, // of a report that is out
  DiagnosticReport: roles,
  Binary: roles,
  Specimen: ['STF', 'CLNT', 'COLA', 'SLS'],
  Coverage: ['STF', 'CLNT', 'COLA', 'SLS'],
  Task: roles,
}
const types = Object.keys(readers)
/** Who sees results on the tab of the tests before a report is out. */
const seeingAll: readonly ClientRole[] = ['STF', 'COLA']

type Side = Awaited<ReturnType<typeof makeSide>>
let own: Side
let foreign: Side
const callers = new Map<string, FhirCaller>()
const as = (role: string) => callers.get(role) as FhirCaller

/** An order with its report, and one of the same patient whose result is not out. */
const makeSide = async (laboratory: FhirCaller) => {
  const { given } = test
  const owner = test.database.owner
  const order = await world.released()
  const { rows } = await owner.query('select physician_id, collaborator_id from requisition where id = $1', [order.id])
  const { physician_id: physicianId, collaborator_id: collaboratorId } = rows[0]
  const seller = await given.salesPerson({})
  await given.clientSales(order.clientId, seller.id)
  const pending = await given.requisition({
    client_id: order.clientId,
    physician_id: physicianId,
    patient_id: order.patientId,
    status_code: 'RESULT',
  })
  const result = { result: '47.11', result_num: '47.11', reportable_result: '47.11' }
  const notOut = await given.orderedTest(pending.id, 'CHOL', result)
  const draft = await world.addReport(pending.id, 'PENDING')
  await given.specimen(order.id)
  const billing = await given.store('billing', { requisition_id: order.id })
  const patient = { billing_id: billing.id, patient_id: order.patientId }
  await given.store('insurance', { ...patient, billing_order: 1, company_name: 'Payer', policy_no: 'P1' })
  const ofType = async (type: string) => {
    const path = type === 'Patient' ? `Patient?_id=${order.patientId}` : `${type}?patient=Patient/${order.patientId}`
    const { entry = [] } = (await laboratory.get(path)).body as Bundle
    return entry.map(({ resource }) => `${type}/${resource?.id}`)
  }
  const searched = await Promise.all(types.filter((type) => type !== 'Binary').map(ofType))
  const hidden = [`Observation/${notOut.id}`, `DiagnosticReport/${draft}`, `Binary/${draft}-1`]
  const all = [...searched.flat(), `Binary/${order.report}-1`].filter((id) => !hidden.includes(id))
  return { ...order, physicianId, collaboratorId, salesId: seller.id, pendingId: pending.id, all, hidden }
}

beforeAll(async () => {
  const admin: Caller = await test.as('ADM')
  const open = async (userRoleCode: string, entityId?: number) =>
    fhirCaller(
      test,
      (await makeApiClient(test, admin, { name: `${userRoleCode} matrix`, userRoleCode, entityId })).token,
    )
  const laboratory = await open('ADM')
  own = await makeSide(laboratory)
  foreign = await makeSide(laboratory)
  const homes: Record<ClientRole, number | undefined> = {
    STF: (await test.given.lab()).id,
    CLNT: own.clientId,
    PHYS: own.physicianId,
    COLA: own.collaboratorId,
    SLS: own.salesId,
    BILL: undefined,
  }
  // Billing sees what is in a batch.
  const batch = await test.given.store('billing_batch', { record_count: 2 })
  for (const id of [own.id, own.pendingId])
    await test.database.db.insertInto('billing_batch_item').values({ batch_id: batch.id, requisition_id: id }).execute()
  for (const role of roles) callers.set(role, await open(role, homes[role]))
})

const typeOf = (id: string) => id.split('/')[0] as string
const mayRead = (role: ClientRole, id: string) => readers[typeOf(id)]?.includes(role)
const idsIn = ({ entry = [] }: Bundle) =>
  entry.map(({ resource }) => `${resource?.resourceType}/${(resource as Resource).id}`)

describe.each(roles)('an API client as %s', (role) => {
  it('IFC-35 reads of its own orders what the role may see, and nothing more', async () => {
    expect(new Set(own.all.map(typeOf))).toEqual(new Set(types))
    for (const id of own.all) {
      const { status } = await as(role).get(id)
      // The task of the order that is not out is seen with its order.
      expect([id, status]).toEqual([id, mayRead(role, id) ? 200 : 404])
    }
  })

  it('IFC-35 finds the same by search', async () => {
    for (const type of types.filter((one) => one !== 'Binary')) {
      const path = type === 'Patient' ? `Patient?_id=${own.patientId}` : `${type}?patient=Patient/${own.patientId}`
      const { status, body } = await as(role).get(path)
      const expected = own.all.filter((id) => typeOf(id) === type && mayRead(role, id))
      const found = idsIn(body).filter((id) => !own.hidden.includes(id))
      expect([type, status, found.toSorted()]).toEqual([type, 200, expected.toSorted()])
    }
  })

  it('IFC-35 sees a result that is not out only if its role sees results before the report', async () => {
    const seesAll = seeingAll.includes(role)
    const { status } = await as(role).get(own.hidden[0] as string)
    expect(status).toBe(seesAll ? 200 : 404)
    for (const id of own.hidden.slice(1)) expect([id, (await as(role).get(id)).status]).toEqual([id, 404])
    for (const path of [
      `Observation?patient=Patient/${own.patientId}`,
      `ServiceRequest?patient=Patient/${own.patientId}&_revinclude=Observation:based-on`,
      `Patient/${own.patientId}/$everything`,
    ]) {
      const { status: found, body } = await as(role).get(path)
      expect([path, found, JSON.stringify(body).includes('47.11')]).toEqual([path, 200, seesAll])
    }
  })

  it('IFC-35 gets 404 for what is not its own, and does not find it', async () => {
    const isForeign = role !== 'STF'
    for (const id of [...foreign.all, ...foreign.hidden.slice(1), `Patient/${foreign.patientId}/$everything`]) {
      const { status, body } = await as(role).get(id)
      const isSeen = !isForeign && !foreign.hidden.includes(id)
      expect([id, status]).toEqual([id, isSeen ? 200 : 404])
      if (isForeign) expect(JSON.stringify(body)).not.toContain('Doe')
    }
    for (const type of types.filter((one) => one !== 'Binary')) {
      const path =
        type === 'Patient' ? `Patient?_id=${foreign.patientId}` : `${type}?patient=Patient/${foreign.patientId}`
      const { status, body } = await as(role).get(path)
      expect([type, status, idsIn(body).length > 0]).toEqual([type, 200, !isForeign])
    }
    const all = idsIn((await as(role).get('Patient?_count=200&_revinclude=ServiceRequest:patient')).body)
    expect(all.includes(`Patient/${foreign.patientId}`)).toBe(!isForeign)
  })

  it('IFC-33 IFC-35 sends no order without an interface of its own', async () => {
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry: [] }
    expect((await as(role).post('', bundle)).status).toBe(403)
  })
})
