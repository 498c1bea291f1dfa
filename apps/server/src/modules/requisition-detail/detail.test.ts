import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()

const roles = { may: ['ADM', 'MGMT', 'STF', 'SLS', 'COLA', 'CLNT'], mayNot: ['PHYS', 'BILL', 'GST'] } as const

describe('GET requisitions/:id, DETAIL-155', () => {
  const withAllFields = once(async () => {
    const { id: labId } = await test.given.lab({ name: 'Main Lab', zone: 'America/Chicago' })
    const { id: clientId } = await test.given.client({ name: 'Acme', legacy_client_id: 'AC-77' })
    const rep = await test.given.salesPerson({ rep_code: 'REP-D' })
    await test.given.clientSales(clientId, rep.id)
    const physician = await test.given.physician({ first_name: 'Paula', last_name: 'Ortiz' })
    const copyTo = await test.given.client({ name: 'Second Practice' })
    const copyPhysician = await test.given.physician({ first_name: 'Cora', last_name: 'Copy' })
    const copyPair = await test.given.clientPhysician(copyTo.id, copyPhysician.id)
    const event = await test.given.event(clientId, { name: 'Health Fair' })
    const source = await test.given.requisition({ client_id: clientId })
    const { id: patientId } = await test.given.patient({ first_name: 'Jane', last_name: 'Doe', dob: '1960-01-02' })
    const { id } = await test.given.requisition({
      client_id: clientId,
      lab_id: labId,
      patient_id: patientId,
      physician_id: physician.id,
      event_id: event.id,
      copy_to_client_id: copyTo.id,
      copy_client_physician_id: copyPair.id,
      copy_physician_id: copyPhysician.id,
      source_requisition_id: source.id,
      status_code: 'EOB',
      ext_order_id: 'SO-1',
      ext_accession_id: 'XA-1',
      is_fasting: true,
      is_dem_qc_pass: true,
      centrifuged_time: '07:40',
      collect_code: 'VENI',
      collected_by: 'L. Marchetti',
      collected_at: '2026-11-08T15:05:00Z',
      collected_zone: 'America/Los_Angeles',
      logged_at: '2026-11-09T15:05:00Z',
      cryo_flag: 'C',
      cryo_print_nbr: 3,
      discrepancy_msg: 'Name on the tube differs',
      legacy_icd_note: 'E78.5 by phone',
    })
    await test.given.orderedTest(id, 'CHOL')
    await test.given.orderedTest(id, 'DP')
    const { status, body } = await (await test.as('ADM')).get(`requisitions/${id}`)
    expect(status).toBe(200)
    const cola = await test.database.db
      .selectFrom('client')
      .innerJoin('collaborator', 'collaborator.id', 'client.collaborator_id')
      .select('collaborator.name')
      .where('client.id', '=', clientId)
      .executeTakeFirstOrThrow()
    const expected = {
      id,
      reqId: id,
      reqStatusCode: 'EOB',
      reqStatusDesc: 'Explanation of benefits received',
      reqBillStatusDesc: 'Explanation of benefits received',
      patientId,
      patientHistId: id,
      patientFirstName: 'Jane',
      patientLastName: 'Doe',
      patientDob: '1960-01-02',
      patientGenderCode: 'FEMALE',
      clientId,
      clientName: 'Acme',
      legacyClientId: 'AC-77',
      clientTz: 'America/New_York',
      colaName: cola.name,
      labId,
      labName: 'Main Lab',
      labTz: 'America/Chicago',
      labTzAbbr: 'CST',
      physId: physician.id,
      physFirstName: 'Paula',
      physLastName: 'Ortiz',
      eventName: 'Health Fair',
      copyToClientName: 'Second Practice',
      copyToPhysFirstName: 'Cora',
      copyToPhysLastName: 'Copy',
      collectedTz: 'America/Los_Angeles',
      collectedTzAbbr: 'PST',
      extOrderId: 'SO-1',
      extAccessionId: 'XA-1',
      isFasting: 1,
      dateCollected: expect.stringMatching(/^2026-11-08T15:05:00/),
      timeCentrifuged: '07:40',
      collectDesc: 'Venipuncture',
      collectedBy: 'L. Marchetti',
      cryoFlag: 'C',
      cryoPrintNbr: 3,
      testCodes: expect.stringMatching(/^(CHOL,DP|DP,CHOL)$/),
      isShowDp: 1,
      isDownloadable: 0,
      isDemQcPass: 1,
      latestReportedDate: null,
      discrepancyMsg: 'Name on the tube differs',
      legacyIcdNote: 'E78.5 by phone',
      salesJson: JSON.stringify({ salesReps: [{ salesId: rep.id, salesRepCode: 'REP-D' }] }),
      sourceReqId: source.id,
      issueCount: 0,
      version: 1,
    }
    return { data: { ...body.data, salesJson: JSON.stringify(JSON.parse(body.data.salesJson)) }, expected }
  })

  it('returns what the page needs in one call', async () => {
    const { data, expected } = await withAllFields()
    expect(data).toMatchObject(expected)
  })

  it.each([
    ['DETAIL-059', 'id'],
    ['DETAIL-060', 'reqId'],
    ['DETAIL-061', 'reqStatusCode'],
    ['DETAIL-062', 'reqStatusDesc'],
    ['DETAIL-063', 'patientId'],
    ['DETAIL-064', 'patientHistId'],
    ['DETAIL-065', 'clientTz'],
    ['DETAIL-066', 'labTz'],
    ['DETAIL-067', 'labTzAbbr'],
    ['DETAIL-068', 'clientId'],
    ['DETAIL-069', 'dateCollected'],
    ['DETAIL-070', 'patientFirstName patientLastName'],
    ['DETAIL-071', 'patientDob'],
    ['DETAIL-072', 'cryoFlag'],
    ['DETAIL-073', 'cryoPrintNbr'],
    ['DETAIL-074', 'testCodes'],
    ['DETAIL-075', 'isShowDp'],
    ['DETAIL-076', 'isDownloadable'],
    ['DETAIL-077', 'latestReportedDate'],
    ['DETAIL-078', 'isDemQcPass'],
    ['DETAIL-079', 'reqBillStatusDesc'],
    ['DETAIL-080', 'salesJson'],
    ['DETAIL-081', 'legacyIcdNote'],
    ['DETAIL-082', 'discrepancyMsg'],
    ['DETAIL-083', 'labId'],
    ['DETAIL-084', 'sourceReqId'],
    ['DETAIL-085', 'colaName'],
    ['DETAIL-086', 'clientName'],
    ['DETAIL-087', 'legacyClientId'],
    ['DETAIL-088', 'physFirstName physLastName physId'],
    ['DETAIL-089', 'eventName'],
    ['DETAIL-090', 'extOrderId'],
    ['DETAIL-091', 'labName'],
    ['DETAIL-092', 'extAccessionId'],
    ['DETAIL-093', 'isFasting'],
    ['DETAIL-094', 'dateCollected'],
    ['DETAIL-095', 'collectedTz'],
    ['DETAIL-096', 'collectedTzAbbr'],
    ['DETAIL-097', 'timeCentrifuged'],
    ['DETAIL-098', 'collectDesc'],
    ['DETAIL-099', 'collectedBy'],
    ['DETAIL-100', 'copyToClientName'],
    ['DETAIL-101', 'copyToPhysFirstName'],
    ['DETAIL-102', 'copyToPhysLastName'],
    ['DETAIL-103', 'legacyIcdNote'],
    ['DETAIL-104', 'reqStatusCode'],
  ])('%s carries %s', async (_, fields) => {
    const { data, expected } = await withAllFields()
    for (const field of fields.split(' ')) {
      expect(expected).toHaveProperty(field)
      expect(data[field]).toEqual(expected[field as keyof typeof expected])
    }
  })

  it('names the billing status of a requisition that has one, DETAIL-006 DETAIL-079', async () => {
    const { id } = await test.given.requisition({ status_code: 'EOB' })
    const { body } = await (await test.as('STF')).get(`requisitions/${id}`)
    expect(body.data.reqBillStatusDesc).toBe('Explanation of benefits received')
  })

  it('is open to six roles and closed to the others, DETAIL-001 DETAIL-002', async () => {
    const collaborator = await test.given.collaborator()
    const client = await test.given.client({ collaborator_id: collaborator.id })
    const seller = await test.given.salesPerson()
    await test.given.clientSales(client.id, seller.id)
    const { id } = await test.given.requisition({ client_id: client.id })
    const entities = {
      ADM: undefined,
      MGMT: undefined,
      STF: undefined,
      SLS: seller.id,
      COLA: collaborator.id,
      CLNT: client.id,
    }
    for (const role of roles.may) {
      const { status } = await (await test.as(role, entities[role])).get(`requisitions/${id}`)
      expect([role, status]).toEqual([role, 200])
    }
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

  it('logs who opened whose record', async () => {
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

  it('answers an unknown number and an invalid one clearly', async () => {
    const admin = await test.as('ADM')
    expect((await admin.get('requisitions/999999999')).status).toBe(404)
    expect((await admin.get('requisitions/abc')).status).toBe(400)
    expect((await admin.get('requisitions/NOVIEW')).status).toBe(400)
  })
})
