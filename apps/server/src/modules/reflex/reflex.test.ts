import { extractText, getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'

const test = openTestApp()
let [admin, staff] = [{}, {}] as [Caller, Caller]
beforeAll(async () => {
  ;[admin, staff] = [await test.as('ADM'), await test.as('STF')]
})

const testsOf = async (reqId: number) => (await staff.get(`requisitions/${reqId}/req_tests`)).body.data
const codesOf = async (reqId: number) =>
  (await testsOf(reqId)).map(({ testCode }: { testCode: string }) => testCode).toSorted()
const statusOf = async (reqId: number) => (await staff.get(`requisitions/${reqId}`)).body.data.reqStatusCode

/** A rule that is on, and a client that agrees. */
const openRule = async (over: Record<string, unknown> = {}) => {
  const client = await test.given.client()
  const { body, status } = await admin.post('reflex_rules', {
    testCode: 'CHOL',
    op: '>',
    value: '240',
    addTestCodes: ['HDL'],
    addPanelCodes: [],
    ...over,
  })
  expect(status).toBe(200)
  const ruleId: number = body.data.id
  expect((await admin.put(`reflex_rules/${ruleId}/switch`, { isActive: 1, reason: 'Agreed' })).body.data.isActive).toBe(
    1,
  )
  const agreed = await admin.put(`clients/${client.id}/reflex_rules`, { ruleIds: [ruleId] })
  expect(agreed.body.data).toEqual({ ruleIds: [ruleId] })
  return { clientId: client.id, ruleId }
}
const order = async (clientId: number, withSpecimen = true) => {
  const { id } = await test.given.requisition({
    client_id: clientId,
    status_code: 'PROCESS',
    collected_at: new Date(Date.now() - 3_600_000).toISOString(),
  })
  if (withSpecimen) await test.given.specimen(id)
  await test.given.orderedTest(id, 'CHOL')
  return id
}
const enter = async (reqId: number, result: string) => {
  const { reqTestId } = (await testsOf(reqId)).find(
    ({ testCode, isRetest }: { testCode: string; isRetest: number }) => testCode === 'CHOL' && isRetest === 0,
  )
  const body = { reqTests: [{ reqTestId, result, isConfirmed: 1 }] }
  expect((await staff.put(`requisitions/${reqId}/req_tests/bulk_edit`, body)).status).toBe(200)
  return reqTestId
}

const pageOf = async (reqId: number) => {
  const { body } = await staff.post(`requisitions/${reqId}/reports/make`, {})
  const { pathname, search } = new URL((await staff.get(`reports/${body.data.id}/view`)).body.data.url)
  const { rawPayload } = await test.app.inject({ method: 'GET', url: pathname + search })
  return (await extractText(await getDocumentProxy(new Uint8Array(rawPayload)), { mergePages: true })).text
}

describe('a reflex rule', () => {
  it('BENCH-30 stays agreed when a save names no rules, and is taken back by an empty list', async () => {
    const { clientId, ruleId } = await openRule()
    const save = async (body: object) => (await admin.put(`clients/${clientId}/reflex_rules`, body)).body.data.ruleIds
    expect(await save({})).toEqual([ruleId])
    expect(await save({ ruleIds: [] })).toEqual([])
  })
  it('BENCH-30 names the cause of its test on the report', async () => {
    const { clientId } = await openRule()
    const reqId = await order(clientId)
    await enter(reqId, '250')
    const added = (await testsOf(reqId)).find(({ testCode }: { testCode: string }) => testCode === 'HDL')
    const reqTests = [{ reqTestId: added.reqTestId, result: '50', isConfirmed: 1 }]
    expect((await staff.put(`requisitions/${reqId}/req_tests/bulk_edit`, { reqTests })).status).toBe(200)
    const page = (await pageOf(reqId)).replaceAll(/\s+/g, ' ')
    expect(page.match(/Reflex test, added because of Cholesterol, total 250/g)).toHaveLength(1)
  })

  it('BENCH-30 adds its test once, with the cause in the history, and keeps the requisition in Processing', async () => {
    const { clientId, ruleId } = await openRule()
    const reqId = await order(clientId)
    await enter(reqId, '250')
    const added = (await testsOf(reqId)).find(({ testCode }: { testCode: string }) => testCode === 'HDL')
    expect(added).toMatchObject({ isReflex: 1, reflexRuleId: ruleId, result: null })
    expect(await statusOf(reqId)).toBe('PROCESS')
    const { rows } = await test.database.pool.query(
      `select new_data, reason from audit_entry where requisition_id = $1 and action = 'REFLEX'`,
      [reqId],
    )
    expect(rows).toMatchObject([{ new_data: { added: 'HDL' }, reason: 'Because of CHOL 250' }])
    await staff.del(`requisitions/${reqId}/req_tests/${added.reqTestId}`)
    const reqTestId = (await testsOf(reqId))[0].reqTestId
    const before = await statusOf(reqId)
    if (before === 'PROCESS') {
      await staff.put(`requisitions/${reqId}/req_tests/${reqTestId}/modify`)
      await enter(reqId, '260')
    }
    expect(await codesOf(reqId)).toEqual(['CHOL'])
  })
  it.each([
    ['the value is not beyond the limit', '240', {}],
    ['the rule is off', '250', { isOff: true }],
    ['the client does not agree', '250', { isForeign: true }],
  ])(
    'BENCH-30 adds nothing when %s',
    async (_, value, { isOff, isForeign }: { isOff?: boolean; isForeign?: boolean }) => {
      const { clientId, ruleId } = await openRule()
      if (isOff) await admin.put(`reflex_rules/${ruleId}/switch`, { isActive: 0, reason: 'Stop' })
      const reqId = await order(isForeign ? (await test.given.client()).id : clientId)
      await enter(reqId, value)
      expect([await codesOf(reqId), await statusOf(reqId)]).toEqual([['CHOL'], 'RESULT'])
    },
  )
  it.each([
    ['without a specimen', false, {}],
    ['with a specimen that is too old', true, { maxSpecimenHours: 1 }],
  ])('BENCH-31 raises an issue %s', async (_, withSpecimen, over) => {
    const { clientId } = await openRule(over)
    const reqId = await order(clientId, withSpecimen)
    await test.database.db
      .updateTable('requisition')
      .set({ collected_at: new Date(Date.now() - 7_200_000).toISOString() })
      .where('id', '=', reqId)
      .execute()
    if (!withSpecimen) await test.database.db.deleteFrom('specimen').where('requisition_id', '=', reqId).execute()
    await enter(reqId, '250')
    expect(await codesOf(reqId)).toEqual(['CHOL'])
    const { data } = (await admin.get(`requisitions/${reqId}/issues`)).body
    expect(data.map(({ issueDesc }: { issueDesc: string }) => issueDesc)).toContainEqual(
      expect.stringMatching(/Reflex test not added: (There is no specimen for HDL|The specimen is 2 hours old)/),
    )
  })
  it('BENCH-31 BENCH-22 is tried over the values before a correction, and counts those later corrected, failed or critical', async () => {
    const { ruleId } = await openRule({ testCode: 'TRIG', value: '700', addTestCodes: ['A1C'] })
    await admin.put(`reflex_rules/${ruleId}/switch`, { isActive: 0, reason: 'Only to be tried' })
    const limit = await admin.post('critical_limits', { testCode: 'TRIG', hi: '900' })
    const at = '2026-03-04T12:00:00Z'
    const [failCode] = (await test.database.pool.query(`select id from reason where type_code = 'FAIL' limit 1`)).rows
    const past = async (result: string | null, before?: string) => {
      const { id } = await test.given.requisition({ status_code: 'RESULT' })
      const values = { result, result_num: result, reportable_result: result }
      const { id: testId } = await test.given.orderedTest(id, 'TRIG', { ...values, process_date: at })
      const first = { result: before, reportable_result: before, process_date: at }
      if (before) await test.given.store('requisition_test_revision', { requisition_test_id: testId, ...first })
      if (result === null)
        await test.database.owner.query(
          'insert into requisition_test_reason (requisition_test_id, reason_id) values ($1, $2)',
          [testId, failCode.id],
        )
      return id
    }
    const [plain, corrected, failed, below] = [
      await past('800'),
      await past('120', '810'),
      await past(null, '950'),
      await past('120'),
    ]
    const { body } = await admin.post(`reflex_rules/${ruleId}/try`, { fromDate: '2026-03-04', toDate: '2026-03-04' })
    expect(body.data).toMatchObject({ considered: 4, wouldPass: 3, laterCorrected: 1, laterFailed: 1, critical: 1 })
    const row = (reqId: number) => body.data.list.find((one: { reqId: number }) => one.reqId === reqId)
    expect(row(plain)).toMatchObject({ value: '800', wouldPass: 1, wasCorrected: 0, wasFailed: 0, isCritical: 0 })
    expect(row(corrected)).toMatchObject({ value: '810', wouldPass: 1, wasCorrected: 1, isCritical: 0 })
    expect(row(failed)).toMatchObject({ value: '950', wouldPass: 1, wasFailed: 1, isCritical: 1 })
    expect(row(below)).toMatchObject({ wouldPass: 0 })
    await admin.del(`critical_limits/${limit.body.data.id}`)
  })
  it('BENCH-31 is refused if it would add itself again', async () => {
    await openRule({ testCode: 'TRIG', addTestCodes: ['VLDL'] }).catch(() => undefined)
    const { body: made } = await admin.post('reflex_rules', {
      testCode: 'HDL',
      op: '<',
      value: '20',
      addTestCodes: ['TRIG'],
    })
    expect(made.data.id).toEqual(expect.any(Number))
    const cycle = { testCode: 'TRIG', op: '>', value: '1', addTestCodes: ['HDL'] }
    expect((await admin.post('reflex_rules', cycle)).status).toBe(400)
    expect((await admin.post('reflex_rules', { ...cycle, addTestCodes: ['TRIG'] })).status).toBe(400)
    expect((await staff.post('reflex_rules', cycle)).status).toBe(403)
  })
  it('BENCH-31 BENCH-22 is tried over past results, and off again after a change', async () => {
    const { clientId, ruleId } = await openRule()
    const reqId = await order(clientId)
    await enter(reqId, '250')
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const { body } = await admin.post(`reflex_rules/${ruleId}/try`, { fromDate: day(-1), toDate: day(1) })
    expect(body.data.wouldPass).toBeGreaterThan(0)
    expect(body.data.list).toContainEqual(expect.objectContaining({ reqId, wouldPass: 1 }))
    // 23:30 of the day before in New York.
    await test.database.db
      .updateTable('requisition_test')
      .set({ process_date: '2026-03-04T04:30:00Z' })
      .where('requisition_id', '=', reqId)
      .execute()
    const consideredOn = async (on: string) =>
      (await admin.post(`reflex_rules/${ruleId}/try`, { fromDate: on, toDate: on })).body.data.considered
    expect([await consideredOn('2026-03-03'), await consideredOn('2026-03-04')]).toEqual([1, 0])
    expect((await admin.put(`reflex_rules/${ruleId}`, { value: 300 })).body.data).toMatchObject({
      value: '300',
      isActive: 0,
      ruleVersion: 2,
    })
    expect((await admin.put(`reflex_rules/${ruleId}/switch`, { isActive: 1 })).status).toBe(400)
  })
})
