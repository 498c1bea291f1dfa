import { extractText, getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { escalateCalls } from './escalation-job.ts'

const test = openTestApp()
let [admin, staff] = [{}, {}] as [Caller, Caller]
beforeAll(async () => {
  ;[admin, staff] = [await test.as('ADM'), await test.as('STF')]
  // HDL has no decimals: 20.4 is reported as 20.
  await admin.post('critical_limits', { testCode: 'HDL', lo: 20, hi: '100', callMinutes: 15 })
  await admin.post('critical_limits', { testCode: 'HDL', lo: 30, sexCode: 'FEMALE', ageFrom: 0, ageTo: 17 })
})

const order = async (over: object = {}, collected: object = {}) => {
  const patient = await test.given.patient({ gender_code: 'FEMALE', dob: '1970-01-02', ...over })
  const { id } = await test.given.requisition({ status_code: 'PROCESS', patient_id: patient.id, ...collected })
  const { id: reqTestId } = await test.given.orderedTest(id, 'HDL')
  await test.given.orderedTest(id, 'CHOL')
  return { id, reqTestId }
}
const save = async ({ id, reqTestId }: { id: number; reqTestId: number }, result: string) => {
  const { status, body } = await staff.put(`requisitions/${id}/req_tests/bulk_edit`, {
    reqTests: [{ reqTestId, result, isConfirmed: 1 }],
  })
  expect([status, body.message]).toEqual([200, expect.any(String)])
}
const correct = async (on: { id: number; reqTestId: number }, result: string) => {
  expect((await staff.put(`requisitions/${on.id}/req_tests/${on.reqTestId}/modify`)).status).toBe(200)
  await save(on, result)
}
const callsOf = async ({ id }: { id: number }) => (await staff.get(`critical_calls?reqId=${id}`)).body.data
const raised = async (result = '15') => {
  const on = await order()
  await save(on, result)
  const [call] = await callsOf(on)
  return { ...on, call }
}

describe('BENCH-40 critical limits', () => {
  it('are kept and refused by field', async () => {
    const { body } = await admin.post('critical_limits', { testCode: 'CHOL', hi: '900', ageFrom: 1 })
    const path = `critical_limits/${body.data.id}`
    const { data } = await (await admin.get('critical_limits')).body
    expect(data).toContainEqual(
      expect.objectContaining({ id: body.data.id, hi: '900', lo: null, ageFrom: 1, callMinutes: 30 }),
    )
    expect((await admin.put(path, { hi: '800' })).body.data).toMatchObject({ hi: '800', version: 2 })
    expect((await admin.del(path)).status).toBe(200)
    const fieldOf = async (more: object) =>
      (await admin.post('critical_limits', { testCode: 'CHOL', hi: 1, ...more })).body.errors[0].field
    expect(await fieldOf({ testCode: 'NOPE' })).toBe('testCode')
    expect(await fieldOf({ hi: null })).toBe('lo')
    expect(await fieldOf({ lo: 2 })).toBe('hi')
    expect(await fieldOf({ hi: 'much' })).toBe('hi')
    expect(await fieldOf({ ageFrom: 9, ageTo: 8 })).toBe('ageTo')
    expect(await fieldOf({ colaId: 999_999 })).toBe('colaId')
  })
  it('raise a call at once for a value beyond them, rounded, and none exactly at them', async () => {
    const { call, id, reqTestId } = await raised('19')
    expect(call).toMatchObject({
      reqId: id,
      reqTestId,
      testCode: 'HDL',
      value: '19',
      state: 'OPEN',
      isLate: 0,
      replacesValue: null,
    })
    expect(Date.parse(call.dueAt) - Date.parse(call.raisedAt)).toBe(15 * 60_000)
    const at = await order()
    await save(at, '20')
    expect(await callsOf(at)).toEqual([])
  })
  it('for sex and age override the general ones', async () => {
    const child = await order({ dob: '2015-05-05' })
    await save(child, '25')
    expect(await callsOf(child)).toMatchObject([{ value: '25', lo: '30' }])
    const boy = await order({ dob: '2015-05-05', gender_code: 'MALE' })
    await save(boy, '25')
    expect(await callsOf(boy)).toEqual([])
  })
  it('go by the age on the day of the collection in its own zone', async () => {
    // On the evening before her 18th birthday, when it is the birthday in UTC.
    const evening = { collected_at: '2026-11-01T23:30:00-05:00', collected_zone: 'America/New_York' }
    const almost = await order({ dob: '2008-11-02' }, evening)
    await save(almost, '25')
    expect(await callsOf(almost)).toMatchObject([{ value: '25', lo: '30' }])
  })
})

describe('BENCH-41 critical calls', () => {
  it('have patient, value, contacts and time left, the most urgent first', async () => {
    const { call } = await raised()
    expect(call).toMatchObject({
      patientName: expect.stringContaining(', Pat'),
      contacts: [{ phone: '16175550100' }],
      attempts: [],
    })
    await test.database.owner.query("update critical_call set due_at = now() - interval '1 minute' where id = $1", [
      call.id,
    ])
    const { data } = (await staff.get('critical_calls')).body
    expect(data[0]).toMatchObject({ id: call.id, isLate: 1 })
  })
  it('are escalated to the department when nobody takes them, and to management when they are late, once each', async () => {
    const { call } = await raised()
    await test.database.owner.query("update critical_call set state = 'CLOSED' where id <> $1", [call.id])
    await test.given.user('MGMT')
    const staffUser = await test.given.user('STF')
    const { rows } = await test.database.owner.query("select id from department where code = 'LAB'")
    await test.given.userDepartment(staffUser.id, rows[0].id)
    const escalation = async () => (await staff.get(`critical_calls/${call.id}`)).body.data.escalation
    const shift = (minutes: number) =>
      test.database.owner.query(
        'update critical_call set raised_at = raised_at - make_interval(mins => $2), due_at = due_at - make_interval(mins => $2) where id = $1',
        [call.id, minutes],
      )
    await escalateCalls(test.services)
    expect(await escalation()).toBe(0)
    await shift(8)
    expect(await escalateCalls(test.services)).toEqual({ escalated: 1 })
    expect(await escalation()).toBe(1)
    expect(await escalateCalls(test.services)).toEqual({ escalated: 0 })
    await shift(8)
    await escalateCalls(test.services)
    expect(await escalation()).toBe(2)
    const { rows: mails } = await test.database.owner.query(
      "select distinct subject from outbox_message where subject like '%critical call%' order by 1",
    )
    expect(mails.map(({ subject }) => subject)).toEqual(['A critical call is late', 'Nobody has taken a critical call'])
  })
  it('are taken by one person', async () => {
    const { call } = await raised()
    const take = (who: Caller) => who.post(`critical_calls/${call.id}/take`)
    expect((await take(staff)).body.data).toMatchObject({ state: 'TAKEN', takenByName: expect.any(String) })
    expect((await take(staff)).status).toBe(200)
    expect((await take(admin)).status).toBe(409)
  })
  it('BENCH-41 are taken over by another person with a reason, which is in the history', async () => {
    const { call, id } = await raised()
    const path = `critical_calls/${call.id}`
    const { takenById } = (await staff.post(`${path}/take`)).body.data
    const attempt = { outcome: 'NOANSWER', calledTo: 'Office' }
    for (const refused of [
      await admin.post(`${path}/take`, { reason: '' }),
      await admin.post(`${path}/attempts`, attempt),
      await admin.post(`${path}/close`, { reason: 'Told in person' }),
    ])
      expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('is calling')])
    const { body } = await admin.post(`${path}/take`, { reason: 'Her shift has ended' })
    expect(body.data).toMatchObject({ state: 'TAKEN', takenById: admin.userId })
    expect(takenById).toBe(staff.userId)
    expect((await staff.post(`${path}/attempts`, attempt)).status).toBe(409)
    expect((await admin.post(`${path}/attempts`, attempt)).status).toBe(200)
    const history = JSON.stringify((await staff.get(`requisitions/${id}/req_hists`)).body.data)
    expect(history).toContain('Taken over by')
    expect(history).toContain('Her shift has ended')
  })
})

describe('an attempt to reach somebody', () => {
  const attempt = (id: number, body: object) => staff.post(`critical_calls/${id}/attempts`, body)
  it('closes the call if the value read back is the same number', async () => {
    const { call, id } = await raised()
    expect((await attempt(call.id, { outcome: 'REACHED', calledTo: 'Dr. Okonjo' })).status).toBe(400)
    expect((await attempt(call.id, { outcome: 'REACHED', readBack: '15' })).status).toBe(400)
    const body = {
      outcome: 'REACHED',
      calledTo: 'Dr. Okonjo',
      role: 'Physician',
      phone: '15035550171',
      readBack: '15.0',
    }
    const closed = await attempt(call.id, body)
    expect(closed.body.data).toMatchObject({
      state: 'CLOSED',
      readBackOk: 1,
      attempts: [{ readBack: '15.0', readBackOk: 1 }],
    })
    expect((await attempt(call.id, body)).status).toBe(409)
    expect(JSON.stringify((await staff.get(`requisitions/${id}/req_hists`)).body.data)).toContain(
      'Called to Dr. Okonjo, read back',
    )
  })
  it('BENCH-42 is printed on the report, which is made again if the call was closed later', async () => {
    const { call, id } = await raised()
    const draft = (await staff.post(`requisitions/${id}/reports/make`, {})).body.data.id
    await attempt(call.id, { outcome: 'MESSAGE', calledTo: 'Nurse line' })
    await attempt(call.id, {
      outcome: 'REACHED',
      calledTo: 'Ada Okonjo',
      role: 'Ordering physician',
      readBack: '15',
      calledAt: '2026-11-18T13:43:00Z',
    })
    const release = (reportId: number) =>
      staff.put(`requisitions/${id}/reports/${reportId}`, { labQcStatusCode: 'RELEASE' })
    const refused = await release(draft)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('HDL: critical call')])
    const report = (await staff.post(`requisitions/${id}/reports/make`, {})).body.data.id
    expect((await release(report)).status).toBe(200)
    const { pathname, search } = new URL((await staff.get(`reports/${report}/view`)).body.data.url, 'http://localhost')
    const { rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(rawPayload)), { mergePages: true })
    expect(text).toContain('Called to Ada Okonjo (Ordering physician) at 11/18/2026 08:43 EST, read back')
    expect(text).not.toContain('Nurse line')
  })
  it('leaves the call open if the value differs, if nobody answers or if a message is left', async () => {
    const { call } = await raised()
    const wrong = await attempt(call.id, { outcome: 'REACHED', calledTo: 'Office', readBack: '51' })
    expect([wrong.status, wrong.body.data.readBackOk, wrong.body.data.state]).toEqual([200, 0, 'OPEN'])
    await attempt(call.id, { outcome: 'NOANSWER' })
    const { body } = await attempt(call.id, { outcome: 'MESSAGE', calledTo: 'Nurse line' })
    // Nobody has taken it: it is escalated, and anybody can continue.
    expect(body.data).toMatchObject({ state: 'OPEN', takenByName: null, readBackOk: null })
    expect(body.data.attempts).toHaveLength(3)
  })
  it('can be replaced by a documented reason only', async () => {
    const { call } = await raised()
    expect((await staff.post(`critical_calls/${call.id}/close`, {})).status).toBe(400)
    const { body } = await staff.post(`critical_calls/${call.id}/close`, {
      reason: 'The patient is in our emergency room',
    })
    expect(body.data).toMatchObject({ state: 'CLOSED', closeReason: 'The patient is in our emergency room' })
  })
})

describe('BENCH-43 a correction', () => {
  it('of a critical value raises a new call that names it, and takes the place of an open one', async () => {
    const on = await raised()
    await correct(on, '55')
    expect(await callsOf(on)).toMatchObject([
      { value: '55', replacesValue: '15', state: 'OPEN', isCritical: 0 },
      { value: '15', state: 'SUPERSEDED' },
    ])
    await correct(on, '56')
    const [open, ...before] = await callsOf(on)
    expect(open).toMatchObject({ value: '56', replacesValue: '55', state: 'OPEN', isCritical: 0 })
    expect(before).toMatchObject([{ state: 'SUPERSEDED' }, { state: 'SUPERSEDED' }])
  })
  it('of a value that was called and is not critical raises none', async () => {
    const on = await raised()
    await correct(on, '55')
    const [{ id }] = await callsOf(on)
    await staff.post(`critical_calls/${id}/attempts`, { outcome: 'REACHED', calledTo: 'Dr. Lee', readBack: '55' })
    await correct(on, '56')
    expect(await callsOf(on)).toHaveLength(2)
  })
  it('to a critical value raises one that names the value before', async () => {
    const on = await order()
    await save(on, '55')
    await correct(on, '15')
    expect(await callsOf(on)).toMatchObject([{ value: '15', replacesValue: '55', state: 'OPEN' }])
  })
  it('by a fail code supersedes an open call, and removing the code raises it again', async () => {
    const on = await raised()
    const { rows } = await test.database.owner.query("select id from reason where code = '901' and type_code = 'FAIL'")
    const setFailCodes = async (failIds: number[]) => {
      const path = `requisitions/${on.id}/req_tests/${on.reqTestId}/fail_codes`
      expect((await staff.put(path, { failIds })).status).toBe(200)
    }
    await setFailCodes([rows[0].id])
    expect(await callsOf(on)).toMatchObject([{ value: '15', state: 'SUPERSEDED' }])
    await setFailCodes([])
    expect(await callsOf(on)).toMatchObject([
      { value: '15', replacesValue: null, state: 'OPEN' },
      { value: '15', state: 'SUPERSEDED' },
    ])
  })
  it('to the same value raises none', async () => {
    const on = await raised()
    await correct(on, '15')
    expect(await callsOf(on)).toHaveLength(1)
  })
})
