import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let admin: Caller
let manager: Caller
let staff: Caller

beforeAll(async () => {
  admin = await test.as('ADM')
  manager = await test.as('MGMT')
  staff = await test.as('STF')
})

const address = { labAddr1: '100 Science Way', labCity: 'Boston', labZip: '02108', labPhone: '16175550100' }
const clia = { cliaNumber: '20D2104417', directorName: 'Ada Rivers, MD' }

describe('the record of a laboratory', () => {
  it('is read by super roles and written by ADM and MGMT, with audit', async () => {
    const { id } = await test.given.lab()
    const place = await test.given.address()
    const body = {
      ...address,
      ...clia,
      labCountryId: place.country_id,
      labStateId: place.state_id,
      accreditations: [{ bodyName: 'CAP', accreditationNumber: '7212345', validTo: '2027-06-30' }],
    }
    expect((await staff.put(`labs/${id}`, body)).status).toBe(403)
    expect((await manager.put(`labs/${id}`, body)).status).toBe(200)
    const { data } = (await staff.get(`labs/${id}`)).body
    expect(data).toMatchObject({ ...body, labState: 'MA', isSignatureRequired: 0, version: 2 })
    const { rows } = await test.database.owner.query(
      `select new_data ->> 'cliaNumber' as clia from audit_entry where entity = 'lab' and entity_id = $1`,
      [id],
    )
    expect(rows).toEqual([{ clia: '20D2104417' }])
    expect((await (await test.as('BILL')).get(`labs/${id}`)).status).toBe(403)
    expect((await staff.get('labs/999999')).status).toBe(404)
  })

  it.each(['20D210441', '20d2104417', '2OD2104417', '20D21044170', 'ABC'])(
    'refuses the CLIA number %s by its field',
    async (cliaNumber) => {
      const { id } = await test.given.lab()
      const { status, body } = await admin.put(`labs/${id}`, { cliaNumber })
      expect([status, body.errors.map(({ field }: { field: string }) => field)]).toEqual([400, ['cliaNumber']])
    },
  )

  it('is added by ADM and MGMT under a code of its own, with audit', async () => {
    const body = { labCode: 'NEW-1', labName: 'New Laboratory', labTz: 'America/Denver' }
    expect((await staff.post('labs', body)).status).toBe(403)
    const { status, body: reply } = await manager.post('labs', body)
    expect([status, reply]).toEqual([200, { data: { id: expect.any(Number) }, message: 'Successfully created' }])
    expect((await staff.get(`labs/${reply.data.id}`)).body.data).toMatchObject({
      ...body,
      accreditations: [],
      version: 1,
    })
    const again = await admin.post('labs', body)
    expect([again.status, again.body.message]).toEqual([409, 'Code is already used'])
    expect((await admin.post('labs', { ...body, labCode: 'NEW-2', labTz: 'Nowhere' })).status).toBe(400)
    const { rows } = await test.database.owner.query(
      `select action, new_data ->> 'labCode' as code from audit_entry where entity = 'lab' and entity_id = $1`,
      [reply.data.id],
    )
    expect(rows).toEqual([{ action: 'CREATE', code: 'NEW-1' }])
  })

  it('changes only the fields that are sent, and refuses a stale version with the current record', async () => {
    const { id } = await test.given.lab()
    await admin.put(`labs/${id}`, { ...address, accreditations: [{ bodyName: 'CAP', accreditationNumber: '1' }] })
    expect((await admin.put(`labs/${id}`, { ...clia, version: 2 })).status).toBe(200)
    const { data } = (await admin.get(`labs/${id}`)).body
    expect(data).toMatchObject({ ...address, ...clia, accreditations: [{ bodyName: 'CAP', validTo: null }] })
    const stale = await admin.put(`labs/${id}`, { labCity: 'Salem', version: 2 })
    expect([stale.status, stale.body.current.version]).toEqual([409, 3])
  })

  it('SOUT-01 may require a signature, and takes no state of another country', async () => {
    const { id } = await test.given.lab()
    expect((await admin.put(`labs/${id}`, { isSignatureRequired: 1 })).body.data.isSignatureRequired).toBe(1)
    const { state_id } = await test.given.address()
    const elsewhere = await admin.put(`labs/${id}`, { labStateId: state_id })
    expect([elsewhere.status, elsewhere.body.errors[0].field]).toEqual([400, 'labStateId'])
  })
})

describe('the signers of a laboratory', () => {
  const grant = (userId: number, over: object = {}) => ({
    userId,
    deptIds: [],
    qualifications: 'MD, FCAP',
    identityCheckedBy: 'Human resources, passport seen',
    validFrom: '2026-01-01',
    validTo: null,
    ...over,
  })

  it('SOUT-13 are granted by ADM and MGMT to an active user of a super role, never to themselves', async () => {
    const { id } = await test.given.lab()
    const path = `labs/${id}/signers`
    const doctor = await test.given.user('STF')
    expect((await staff.post(path, grant(doctor.id))).status).toBe(403)
    const { status, body } = await admin.post(path, grant(doctor.id))
    expect([status, typeof body.data.id]).toEqual([200, 'number'])
    const { data } = (await staff.get(path)).body
    expect(data).toMatchObject([{ id: body.data.id, userId: doctor.id, deptIds: [], qualifications: 'MD, FCAP' }])
    expect((await admin.post(path, grant(admin.userId))).status).toBe(409)
    for (const user of [await test.given.user('BILL'), await test.given.user('STF', undefined, { status_code: 'LCK' })])
      expect((await admin.post(path, grant(user.id))).body.errors[0].field).toBe('userId')
  })

  it.each(['qualifications', 'identityCheckedBy', 'validFrom'])('SOUT-13 requires %s', async (field) => {
    const { id } = await test.given.lab()
    const doctor = await test.given.user('STF')
    const { status, body } = await admin.post(`labs/${id}/signers`, grant(doctor.id, { [field]: '' }))
    expect([status, body.errors[0].field]).toEqual([400, field])
  })

  it('SOUT-13 end on a day and stay in the list and the audit', async () => {
    const { id } = await test.given.lab()
    const doctor = await test.given.user('MGMT')
    const { data: made } = (await admin.post(`labs/${id}/signers`, grant(doctor.id))).body
    const path = `labs/${id}/signers/${made.id}`
    expect((await admin.put(path, { validTo: '2025-12-31' })).body.errors[0].field).toBe('validTo')
    expect((await manager.put(path, { validTo: '2026-11-30' })).status).toBe(200)
    expect((await staff.get(`labs/${id}/signers`)).body.data).toMatchObject([{ id: made.id, validTo: '2026-11-30' }])
    const { rows } = await test.database.owner.query(
      `select action from audit_entry where entity = 'lab_signer' and entity_id = $1 order by id`,
      [made.id],
    )
    expect(rows.map(({ action }) => action)).toEqual(['CREATE', 'UPDATE'])
    const other = await test.given.lab()
    expect((await admin.put(`labs/${other.id}/signers/${made.id}`, { validTo: '2026-11-30' })).status).toBe(404)
  })

  it('SOUT-13 cannot be prolonged by the person who has the right', async () => {
    const { id } = await test.given.lab()
    const { data: made } = (await admin.post(`labs/${id}/signers`, grant(manager.userId, { validTo: '2026-06-30' })))
      .body
    const { status, body } = await manager.put(`labs/${id}/signers/${made.id}`, { validTo: '2027-06-30' })
    expect([status, body.message]).toEqual([409, 'Nobody can grant the right to sign to themselves'])
    expect((await staff.get(`labs/${id}/signers`)).body.data).toMatchObject([{ validTo: '2026-06-30' }])
    expect((await manager.put(`labs/${id}/signers/${made.id}`, { validTo: '2026-06-29' })).status).toBe(200)
    expect((await admin.put(`labs/${id}/signers/${made.id}`, { validTo: '2027-06-30' })).status).toBe(200)
  })
})
