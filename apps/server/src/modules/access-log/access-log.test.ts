import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp, type Reply } from '../../../test/app.ts'
import { expectWithin } from '../../../test/quiet-machine.ts'
import { idsIn } from '../../platform/http/patient-data.ts'

const test = openTestApp()
let admin: Caller
let staff: Caller
beforeAll(async () => {
  admin = await test.as('MGMT')
  staff = await test.as('STF')
})

const requestOf = ({ headers }: Reply) => headers['x-request-id'] as string
const patientWithOrder = async () => {
  const { id: patientId } = await test.given.patient()
  const { id: reqId } = await test.given.requisition({ patient_id: patientId })
  return { patientId, reqId }
}
const logged = async (query: string) => {
  await test.services.accessLog.flush()
  const { status, body } = await admin.get(`access_log?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

describe('GET access_log', () => {
  it('SOUT-11 has a row within two seconds: who, when, which call, and whom it showed', async () => {
    const { patientId, reqId } = await patientWithOrder()
    let read = await staff.get(`requisitions/${reqId}/specimens`)
    const rowOf = () => admin.get(`access_log?requestId=${requestOf(read)}`)
    await expectWithin(2000, async () => {
      read = await staff.get(`requisitions/${reqId}/specimens`)
      await expect.poll(async () => (await rowOf()).body.total).toBe(1)
    })
    const { body } = await rowOf()
    expect(body).toMatchObject({ total: 1, message: '' })
    const { id, accessDate, userName, ...rest } = body.data[0]
    expect(rest).toEqual({
      userId: staff.userId,
      userRoleCode: 'STF',
      viewedAsId: null,
      viewedAsName: null,
      method: 'GET',
      route: 'requisitions/{id}/specimens',
      requestId: requestOf(read),
      patientIds: [patientId],
      reqIds: [reqId],
    })
    expect(id).toBeGreaterThan(0)
    expect(Date.now() - Date.parse(accessDate)).toBeLessThan(60_000)
    const { rows } = await test.database.owner.query(
      "select first_name || ' ' || last_name as name from app_user where id = $1",
      [staff.userId],
    )
    expect(userName).toBe(rows[0].name)
  })

  it('SOUT-11 names every id of a list, a search and an export, and no more', async () => {
    const [one, two] = [await patientWithOrder(), await patientWithOrder()]
    const filter = encodeURIComponent(`{id:[${one.reqId},${two.reqId}]}`)
    const calls = [
      await staff.get(`requisitions/ALL?filter=${filter}`),
      await staff.get(`requisitions/ALL/export?format=csv&filter=${filter}`),
    ]
    for (const call of calls) {
      expect(call.status).toBe(200)
      const { data } = await logged(`requestId=${requestOf(call)}`)
      expect(data[0].reqIds.toSorted()).toEqual([one.reqId, two.reqId])
      expect(data[0].patientIds.toSorted()).toEqual([one.patientId, two.patientId])
    }
  })

  it('SOUT-11 looks up only patients that the reply does not name', async () => {
    const [shown, other] = [await patientWithOrder(), await test.given.patient()]
    const calls = [
      await staff.get(`requisitions/ALL?filter=${encodeURIComponent(`{id:[${shown.reqId}]}`)}`),
      await staff.get(`requisitions/${shown.reqId}`),
      await staff.get(`requisitions/${shown.reqId}/specimens`),
    ]
    const change = 'update requisition set patient_id = $1 where id = $2'
    // If the log was written before, the difference is not visible.
    await test.database.owner.query(change, [other.id, shown.reqId])
    const ids: number[][] = []
    for (const call of calls) ids.push((await logged(`requestId=${requestOf(call)}`)).data[0].patientIds)
    await test.database.owner.query(change, [shown.patientId, shown.reqId])
    expect(ids.slice(0, 2)).toEqual([[shown.patientId], [shown.patientId]])
    expect([[shown.patientId], [other.id]]).toContainEqual(ids[2])
    const write = (entry: object) =>
      test.database.owner.query('select access_log_write($1::json)', [
        JSON.stringify([
          { at: new Date(), user_id: 1, user_name: 'X', user_role_code: 'STF', method: 'GET', ...entry },
        ]),
      ])
    const { reqId } = shown
    await write({ route: 'named', requisition_ids: [reqId], patient_ids: [], names_patients: true })
    await write({ route: 'unnamed', requisition_ids: [reqId], patient_ids: [] })
    const { rows } = await test.database.owner.query(
      `select patient_ids from access_log where route in ('named', 'unnamed') order by route`,
    )
    expect(rows).toEqual([{ patient_ids: [] }, { patient_ids: [shown.patientId] }])
  })

  it('SOUT-11 is filtered by patient, requisition, person, request and day, the newest first', async () => {
    const { patientId, reqId } = await patientWithOrder()
    const reader = await test.as('STF')
    const first = await reader.get(`requisitions/${reqId}`)
    const second = await reader.get(`patients/${patientId}/docs`)
    const requests = async (query: string) =>
      ((await logged(query)).data as { requestId: string }[]).map(({ requestId }) => requestId)
    const both = [requestOf(second), requestOf(first)]
    expect(await requests(`patientId=${patientId}`)).toEqual(both)
    expect(await requests(`userId=${reader.userId}`)).toEqual(both)
    expect(await requests(`reqId=${reqId}`)).toEqual([requestOf(first)])
    expect(await requests(`requestId=${requestOf(second)}`)).toEqual([requestOf(second)])
    const day = (later: number) => new Date(Date.now() + later * 86_400_000).toISOString().slice(0, 10)
    expect(await requests(`userId=${reader.userId}&dateFrom=${day(-1)}&dateTo=${day(1)}`)).toEqual(both)
    expect(await requests(`userId=${reader.userId}&dateFrom=${day(2)}`)).toEqual([])
    expect(await requests(`userId=${reader.userId}&dateTo=${day(-2)}`)).toEqual([])
    for (const query of ['dateFrom=yesterday', 'patientId=abc', 'filter=[color:red]'])
      expect((await admin.get(`access_log?${query}`)).status, query).toBe(400)
  })

  it('shows nothing of a call that was refused', async () => {
    const { reqId } = await patientWithOrder()
    const foreign = await test.as('CLNT', (await test.given.client()).id)
    const refused = await foreign.get(`requisitions/${reqId}`)
    expect(refused.status).toBe(404)
    expect((await logged(`requestId=${requestOf(refused)}`)).total).toBe(0)
  })

  it('SOUT-11 names whom a refusal has shown: the record of a conflict, and a patient in a question', async () => {
    const { id: patientId } = await test.given.patient({ first_name: 'Ada', last_name: 'Shown', dob: '1948-01-12' })
    const { id: reqId } = await test.given.requisition({ patient_id: patientId })
    const stale = await staff.put(`requisitions/${reqId}/patients/${patientId}`, {}, { 'if-match': '99' })
    expect([stale.status, stale.body.current.patientLastName]).toEqual([409, 'Shown'])
    expect((await logged(`requestId=${requestOf(stale)}`)).data).toMatchObject([
      { userId: staff.userId, method: 'PUT', patientIds: [patientId], reqIds: [reqId] },
    ])
    const person = { patientFirstName: 'Ada', patientLastName: 'Shown', patientDob: '1/12/1948' }
    const asked = await staff.post('requisitions', await test.given.requisitionBody(person))
    expect([asked.status, asked.body.code]).toEqual([409, 'question'])
    expect((await logged(`requestId=${requestOf(asked)}`)).data).toMatchObject([
      { method: 'POST', route: 'requisitions', patientIds: [patientId] },
    ])
  })

  it('SOUT-11 cannot be written, changed or emptied by the server: rows are kept for good', async () => {
    for (const statement of [
      'delete from access_log',
      'update access_log set user_id = 1',
      "insert into access_log (user_id, user_name, user_role_code, method, route) values (1, 'x', 'ADM', 'GET', 'x')",
    ])
      await expect(test.database.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
    await expect(test.database.owner.query('delete from access_log')).rejects.toThrow('append-only')
  })
})

describe('who has seen a patient', () => {
  it('SOUT-11 lists this patient only, also as a file; an unknown patient is not found', async () => {
    const { patientId, reqId } = await patientWithOrder()
    const other = await patientWithOrder()
    await staff.get(`requisitions/${reqId}/req_tests`)
    await staff.get(`requisitions/${other.reqId}/req_tests`)
    await test.services.accessLog.flush()
    const { body } = await admin.get(`patients/${patientId}/access_log`)
    expect(body.total).toBe(1)
    expect(body.data).toMatchObject([{ route: 'requisitions/{id}/req_tests', reqIds: [reqId] }])
    const file = await admin.get(`patients/${patientId}/access_log/export?format=csv`)
    const { pathname, search } = new URL(file.body.data.url)
    const text = (await test.app.inject({ method: 'GET', url: `${pathname}${search}` })).body
    expect(text).toContain('Date,User,Role,Method,Call,Request,Requisitions')
    expect(text).toContain(`requisitions/{id}/req_tests`)
    expect(text).toContain(String(reqId))
    expect((await admin.get('patients/999999999/access_log')).status).toBe(404)
    expect((await admin.get('patients/999999999/access_log/export')).status).toBe(404)
  })
})

describe('the ids in a reply', () => {
  it('are found in its text whatever the spacing, and never in what people typed', () => {
    const typed = JSON.stringify({
      note: '"patientId": 7, {"reqId":8}',
      reqId: 1,
      sub: [{ patientId: 2 }, { reqId: null }],
    })
    expect(idsIn(typed)).toEqual({ reqIds: new Set([1]), patientIds: new Set([2]) })
    expect(idsIn('{"reqId" : 5, "namedReqIds": [6, 7], "requisitionId":8}').reqIds).toEqual(new Set([5, 6, 7, 8]))
  })
})
