import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { recentlyCollected } from '../../../test/given.ts'

const test = openTestApp()
const db = () => test.database.db
const testId = async (code: string) =>
  (await db().selectFrom('test').select('id').where('code', '=', code).executeTakeFirstOrThrow()).id

/** A practice that may order, with one laboratory, one event and one physician. */
const practice = async (isPortalOrder = true) => {
  const client = await test.given.client({ is_portal_order: isPortalOrder })
  const lab = await test.given.lab()
  await db().insertInto('client_lab').values({ client_id: client.id, lab_id: lab.id }).execute()
  await test.given.event(client.id)
  const physician = await test.given.physician()
  const pair = await test.given.clientPhysician(client.id, physician.id)
  return { clientId: client.id, labId: lab.id, physicianId: physician.id, pairId: pair.id }
}

const order = async (over: Record<string, unknown> = {}) => ({
  patientFirstName: 'Nora',
  patientLastName: 'Neuhaus',
  patientDob: '3/4/1961',
  patientGenderCode: 'FEMALE',
  dateCollected: recentlyCollected(),
  testIds: [await testId('LDL')],
  ...over,
})

const sourceOf = async (id: number) => {
  const { rows } = await sql<{
    source: string
  }>`select new_data ->> 'Source' as source from audit_entry where requisition_id = ${id} and action = 'CREATE' and entity = 'requisition'`.execute(
    db(),
  )
  return rows[0]?.source
}

describe('POST portal_orders', () => {
  it('HOME-11 makes a logged requisition of a practice by the rules of POST requisitions, with the source Portal in its history', async () => {
    const { clientId, labId, pairId } = await practice()
    const user = await test.as('CLNT', clientId)
    const { status, body } = await user.post('portal_orders', await order())
    expect([status, body.message]).toEqual([200, 'Successfully created'])
    const detail = (await user.get(`requisitions/${body.data.id}`)).body.data
    expect(detail).toMatchObject({
      reqStatusCode: 'LOG',
      clientId,
      labId,
      orderingClientPhysId: pairId,
      testCodes: 'LDL',
      isToCollect: 0,
    })
    expect(await sourceOf(body.data.id)).toBe('Portal')
    const refused = await user.post('portal_orders', await order({ dateCollected: '2999-01-01T08:00:00Z' }))
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'dateCollected'])
    const again = await user.post('portal_orders', await order())
    expect([again.status, again.body.current.questions.map((one: { code: string }) => one.code)]).toEqual([
      409,
      ['SAME_PATIENT', 'DUPLICATE_ORDER'],
    ])
  })

  it('HOME-11 lets a physician order in their own name for a practice that may, and nobody else', async () => {
    const { clientId, physicianId, pairId } = await practice()
    const other = await test.given.clientPhysician(clientId, (await test.given.physician()).id)
    const physician = await test.as('PHYS', physicianId)
    const { status, body } = await physician.post('portal_orders', await order({ patientLastName: 'Own' }))
    expect(status).toBe(200)
    const staff = await test.as('STF')
    expect((await staff.get(`requisitions/${body.data.id}`)).body.data.orderingClientPhysId).toBe(pairId)
    const foreign = await physician.post('portal_orders', await order({ orderingClientPhysId: other.id }))
    expect([foreign.status, foreign.body.errors[0].field]).toEqual([400, 'orderingClientPhysId'])
    expect((await staff.post('portal_orders', await order({ clientId }))).status).toBe(403)
  })

  it('HOME-11 refuses a practice without the right, and an order for another practice', async () => {
    const own = await practice()
    const closed = await practice(false)
    const user = await test.as('CLNT', closed.clientId)
    for (const reply of [
      await user.post('portal_orders', await order()),
      await user.post('portal_orders', { patientFirstName: 'Nora' }),
      await user.post('portal_orders'),
      await user.get('portal_orders/options'),
      await user.get('portal_orders/patients?search=Neuhaus'),
    ])
      expect([reply.status, reply.body.message]).toEqual([
        403,
        'Your practice cannot order tests here yet. Ask the laboratory to open ordering for it.',
      ])
    const open = await test.as('CLNT', own.clientId)
    expect((await open.post('portal_orders', await order({ clientId: closed.clientId }))).status).toBe(404)
    expect((await user.get('home')).body.data.orderTests).toBeUndefined()
    expect((await open.get('home')).body.data.orderTests).toEqual({ usualSets: [], link: '/order' })
  })

  it('HOME-11 takes a known patient with the insurances of the last requisition and diagnoses', async () => {
    const { clientId } = await practice()
    const user = await test.as('CLNT', clientId)
    const first = (await user.post('portal_orders', await order({ patientLastName: 'Insured' }))).body.data.id
    const admin = await test.as('ADM')
    const [{ billId }] = (await admin.get(`requisitions/${first}/billings`)).body.data
    const insured = await admin.post(`requisitions/${first}/billings/${billId}/insurances`, {
      billingOrder: 1,
      reqBillTypeCode: 'INSURANCE',
      insuranceCompany: 'Alder Mutual Health',
      policyHolder: 'Nora Insured',
      policyNo: 'P-77',
    })
    expect([insured.status, insured.body.message]).toEqual([200, 'Successfully created'])
    const [known] = (await user.get('portal_orders/patients?search=insured%20nora')).body.data
    expect(known).toMatchObject({ patientLastName: 'Insured', insurances: ['Alder Mutual Health P-77'] })
    const icd = await db().selectFrom('icd').select('id').where('is_active', '=', true).executeTakeFirstOrThrow()
    const second = await user.post('portal_orders', {
      ...(await order({ patientLastName: 'Insured', patientId: known.id, icdIds: [icd.id] })),
      answers: { DUPLICATE_ORDER: 'SAVE' },
    })
    expect([second.status, second.body.message]).toEqual([200, 'Successfully created'])
    const [bill] = (await admin.get(`requisitions/${second.body.data.id}/billings`)).body.data
    const { body } = await admin.get(`requisitions/${second.body.data.id}/billings/${bill.billId}/insurances`)
    expect(body.data.map((one: { policyNo: string }) => one.policyNo)).toEqual(['P-77'])
    const icds = (await admin.get(`requisitions/${second.body.data.id}/req_icds`)).body.data
    expect(icds.map((one: { id: number }) => one.id)).toEqual([icd.id])
    const stranger = await test.as('CLNT', (await practice()).clientId)
    expect((await stranger.get('portal_orders/patients?search=Insured')).body.data).toEqual([])
  })

  it('HOME-11 keeps an order before the collection from being accessioned until somebody enters when the sample was taken', async () => {
    const { clientId } = await practice()
    const user = await test.as('CLNT', clientId)
    const body = await order({ patientLastName: 'Later', dateCollected: null, isToCollect: 1 })
    const { id } = (await user.post('portal_orders', body)).body.data
    await test.given.specimen(id, { received_at: new Date().toISOString() })
    const admin = await test.as('ADM')
    expect((await admin.get(`requisitions/${id}`)).body.data.isToCollect).toBe(1)
    const move = () => admin.put(`requisitions/LOG/next_status/bulk_move?id=${id}`, {})
    expect(JSON.stringify((await move()).body)).toContain(
      'has no time of collection, as it was ordered before: enter Date Collected',
    )
    await admin.put(`requisitions/${id}`, { dateCollected: new Date(Date.now() - 3_600_000).toISOString() })
    await move()
    expect((await admin.get(`requisitions/${id}`)).body.data).toMatchObject({ reqStatusCode: 'ACC', isToCollect: 0 })
  })
})

describe('the order page', () => {
  it('HOME-11 offers the usual sets of the practice first', async () => {
    const { clientId } = await practice()
    const user = await test.as('CLNT', clientId)
    const sets = [['LDL'], ['LDL'], ['TRIG', 'LDL']]
    for (const [index, codes] of sets.entries()) {
      const testIds = await Promise.all(codes.map(testId))
      await user.post('portal_orders', await order({ patientLastName: `Set${index}`, testIds }))
    }
    const { body } = await user.get('portal_orders/options')
    expect(body.data.usualSets.map((set: { count: number; codes: string[] }) => [set.count, set.codes.length])).toEqual(
      [
        [2, 1],
        [1, 2],
      ],
    )
    expect(body.data).toMatchObject({ clientId, clientTz: 'America/New_York' })
  })

  it('HOME-11 prints the requisition with its bar code for those who may see it', async () => {
    const { clientId } = await practice()
    const user = await test.as('CLNT', clientId)
    const { id } = (await user.post('portal_orders', await order({ patientLastName: 'Printed' }))).body.data
    const { status, body } = await user.post(`portal_orders/${id}/print`)
    expect([status, typeof body.data.url]).toEqual([200, 'string'])
    const { rows } = await sql<{
      key: string
    }>`select object_key as key from upload_slot where purpose = 'requisition'`.execute(db())
    const pdf = await buffer(await test.services.store.get(rows[0]?.key as string))
    expect([pdf.subarray(0, 5).toString(), pdf.length > 2000]).toEqual(['%PDF-', true])
    const stranger = await test.as('CLNT', (await practice()).clientId)
    expect((await stranger.post(`portal_orders/${id}/print`)).status).toBe(404)
  })
})
