import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'

const test = openTestApp()

const roles = { may: ['ADM', 'MGMT', 'STF', 'SLS', 'COLA', 'CLNT'], mayNot: ['PHYS', 'BILL', 'GST'] } as const

describe('GET requisitions/:id, DETAIL-155', () => {
  it('carries every field of the page, DETAIL-059..DETAIL-104', async () => {
    const { id: clientId } = await test.given.client()
    const { id: labId } = await test.given.lab()
    const { id: patientId } = await test.given.patient({ first_name: 'Jane', last_name: 'Doe', dob: '1960-01-02' })
    const given = await test.given.requisition({
      client_id: clientId,
      lab_id: labId,
      patient_id: patientId,
      ext_order_id: 'SO-1',
      is_fasting: true,
      centrifuged_time: '07:40',
      collect_code: 'VENI',
      collected_at: '2026-11-08T15:05:00Z',
      collected_zone: 'America/Los_Angeles',
    })
    const admin = await test.as('ADM')
    const { status, body } = await admin.get(`requisitions/${given.id}`)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      id: given.id,
      reqId: given.id,
      reqStatusCode: 'LOG',
      reqStatusDesc: 'Logged',
      reqBillStatusDesc: null,
      patientId,
      patientHistId: given.id,
      patientFirstName: 'Jane',
      patientLastName: 'Doe',
      patientDob: '1960-01-02',
      patientGenderCode: 'FEMALE',
      clientId,
      clientTz: 'America/New_York',
      labId,
      collectedTz: 'America/Los_Angeles',
      collectedTzAbbr: 'PST',
      extOrderId: 'SO-1',
      isFasting: 1,
      timeCentrifuged: '07:40',
      collectDesc: 'Venipuncture',
      isShowDp: 0,
      isDownloadable: 0,
      isDemQcPass: 0,
      sourceReqId: null,
      issueCount: 0,
      version: 1,
    })
    expect(JSON.parse(body.data.salesJson)).toEqual({ salesReps: [] })
  })

  it('names the billing status once the requisition is there, DETAIL-006 DETAIL-079', async () => {
    const { id } = await test.given.requisition({ status_code: 'EOB' })
    const { body } = await (await test.as('STF')).get(`requisitions/${id}`)
    expect(body.data.reqBillStatusDesc).toBe('Explanation of benefits received')
  })

  it('is open to six roles and closed to the others, DETAIL-001 DETAIL-002', async () => {
    const { id } = await test.given.requisition()
    for (const role of roles.mayNot) {
      const { status } = await (await test.as(role)).get(`requisitions/${id}`)
      expect([role, status]).toEqual([role, 403])
    }
    expect((await test.nobody.get(`requisitions/${id}`)).status).toBe(401)
  })

  it('does not exist for another practice, collaborator or sales person', async () => {
    const foreign = await test.given.requisition()
    const collaborator = await test.given.collaborator()
    const client = await test.given.client({ collaborator_id: collaborator.id })
    const seller = await test.given.salesPerson()
    await test.given.clientSales(client.id, seller.id)
    const own = await test.given.requisition({ client_id: client.id })
    const readers = [
      await test.as('CLNT', client.id),
      await test.as('COLA', collaborator.id),
      await test.as('SLS', seller.id),
    ]
    for (const reader of readers) {
      expect((await reader.get(`requisitions/${own.id}`)).status).toBe(200)
      expect((await reader.get(`requisitions/${foreign.id}`)).status).toBe(404)
    }
  })

  it('leaves a trace in the log of who opened whose record', async () => {
    const { id } = await test.given.requisition()
    const reader = await test.as('STF')
    await reader.get(`requisitions/${id}`)
    await test.services.accessLog.flush()
    const rows = await test.database.db
      .selectFrom('access_log')
      .select(['route', 'requisition_ids'])
      .where('user_id', '=', reader.userId)
      .execute()
    expect(rows).toEqual([{ route: 'requisitions/{id}', requisition_ids: [id] }])
  })

  it('answers a number that no requisition has, and what is no number, clearly', async () => {
    const admin = await test.as('ADM')
    expect((await admin.get('requisitions/999999999')).status).toBe(404)
    expect((await admin.get('requisitions/abc')).status).toBe(400)
    expect((await admin.get('requisitions/NOVIEW')).status).toBe(400)
  })
})
