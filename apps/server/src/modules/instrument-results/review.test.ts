import { describe, expect, it } from 'vitest'
import { astmTime, resultRecords, type SentResult } from '../../../seeds/laboratory/analyser.ts'
import { openTestBench, until } from '../../../test/bench.ts'

const bench = openTestBench()
const codes = (row: { reasons: { code: string }[] }) => row.reasons.map(({ code }) => code)

/** Sends results for a requisition and gives them as they wait, verified or not. */
const send = async (instrument: Awaited<ReturnType<typeof bench.addInstrument>>, results: readonly SentResult[]) => {
  const analyser = await bench.connect(instrument)
  await analyser.send(resultRecords(results))
  analyser.close()
  const reqIds = [...new Set(results.map(({ specimen }) => specimen))]
  const rows = await until(
    async () => (await Promise.all(reqIds.map((reqId) => bench.resultsOf(`reqId:${reqId}`)))).flat(),
    (list) => list.length >= results.length,
  )
  await until(
    () => bench.linkOf(instrument.id),
    ({ linkState }) => linkState === 'LISTENING',
  )
  return rows
}
const item = ({ id, version }: { id: number; version: number }) => ({ id, version })
const now = async (id: number) => (await bench.staff().get(`instrument_results/${id}`)).body.data
const decide = (how: string, items: { id: number; version: number }[], more: object = {}) =>
  bench.staff().post(`review_results/${how}`, { items: items.map(item), ...more })

/** The patient had CHOL 150 yesterday. */
const earlier = async (patientId: number) => {
  const { id } = await bench.test.given.requisition({ patient_id: patientId })
  const yesterday = new Date(Date.now() - 86_400_000).toISOString()
  await bench.test.given.orderedTest(id, 'CHOL', {
    result: '150',
    result_num: '150',
    reportable_result: '150',
    process_date: yesterday,
  })
}

/** A rule that is on; CHOL is in control on the instrument. */
const openRule = async (over: Record<string, unknown> = {}) => {
  const instrument = await bench.addInstrument()
  const { lotId, run: putOut } = await bench.putInControl(instrument.id)
  const { body } = await bench.admin().post('autoverify_rules', {
    testCode: 'CHOL',
    instrumentId: instrument.id,
    low: '100',
    high: '240',
    ...over,
  })
  const rule = `autoverify_rules/${body.data.id}`
  expect((await bench.admin().put(`${rule}/switch`, { isActive: 1, reason: 'Validated' })).status).toBe(200)
  return { instrument, lotId, putOut, rule, ruleId: body.data.id as number }
}

describe('review', () => {
  it('BENCH-20 lists what waits with its reasons, previous value, delta and state of quality control', async () => {
    const instrument = await bench.addInstrument()
    const patient = await bench.test.given.patient()
    await earlier(patient.id)
    const reqId = await bench.order(['CHOL'], { patient_id: patient.id })
    await send(instrument, [{ specimen: reqId, code: 'chol', value: '180.5' }])
    const { body } = await bench.staff().get(`review_results?filter=[reqId:${reqId}]`)
    expect(body).toMatchObject({
      total: 1,
      data: [
        {
          patientId: patient.id,
          previousValue: '150',
          delta: '30.5',
          trend: [{ value: '150', at: expect.any(String) }],
          qcState: 'DUE',
          isCritical: 0,
        },
      ],
    })
    expect((await bench.staff().get(`review_results?filter=[reqId:${reqId},reasonCode:QC_DUE]`)).body.total).toBe(1)
    expect((await bench.staff().get(`review_results?filter=[reqId:${reqId},reasonCode:FLAG]`)).body.total).toBe(0)
  })
  it('HOME-02 BENCH-20 counts on Home what waits, with the oldest and what it is in words', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '181' }])
    const queueOf = async () =>
      (await bench.staff().get('home')).body.data.queues.find(({ code }: { code: string }) => code === 'REVIEW')
    const { total } = (await bench.staff().get('review_results')).body
    expect(await queueOf()).toMatchObject({ count: total, call: 'review_results', link: '/review' })
    await bench.test.database.owner.query(
      `update instrument_result set received_at = now() - interval '100 minutes' where id = $1`,
      [row.id],
    )
    expect(await queueOf()).toMatchObject({
      state: 'WARN',
      reqId,
      first: expect.stringContaining('Cholesterol, total 181: '),
    })
    expect((await decide('reject', [row], { reason: 'Done' })).body.data.done).toEqual([row.id])
    expect((await queueOf()).count).toBe(total - 1)
  })
  it('finds the results of a day of the laboratory', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180' }])
    await bench.test.database.owner.query(
      `update instrument_result set received_at = '2026-03-04T23:59:59Z' where id = $1`,
      [row.id],
    )
    const on = async (day: string) =>
      (await bench.staff().get(`instrument_results?filter=[reqId:${reqId},receivedAt:[${day}-${day}]]`)).body.total
    expect(await Promise.all(['03/03/2026', '03/04/2026', '03/05/2026'].map(on))).toEqual([0, 1, 0])
  })
  it('BENCH-24 accepts a result by the path of a typed one: rounded, interpreted, calculated, moved, with the history naming its source', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order(['CHOL', 'HDL', 'TRIG', 'LDL'])
    const rows = await send(instrument, [
      { specimen: reqId, code: 'chol', value: '200.4', operator: 'm.tech' },
      { specimen: reqId, code: 'hdl', value: '50' },
      { specimen: reqId, code: 'trig', value: '100' },
    ])
    expect((await bench.reqTest(reqId)).result).toBeNull()
    const { body } = await decide('accept', rows)
    expect(body.data).toEqual({ done: rows.map(({ id }: { id: number }) => id), refused: [] })
    expect(await bench.reqTest(reqId)).toMatchObject({
      result: '200.4',
      reportableResult: '200',
      instrumentResultId: rows[0].id,
    })
    expect((await bench.reqTest(reqId, 'LDL')).reportableResult).toBe('130')
    expect((await bench.staff().get(`requisitions/${reqId}`)).body.data.reqStatusCode).toBe('RESULT')
    expect((await now(rows[0].id)).state).toBe('ACCEPTED')
    const { rows: history } = await bench.test.database.pool.query(
      `select new_data from audit_entry where requisition_id = $1 and action = 'INSTRUMENT' order by id limit 1`,
      [reqId],
    )
    expect(history[0].new_data).toMatchObject({
      chol: '200.4',
      instrument: instrument.name,
      operator: 'm.tech',
      decision: 'Accepted',
    })
  })
  it('BENCH-20 shows by a dry run what would happen, and does nothing', async () => {
    const instrument = await bench.addInstrument()
    const [good, bad] = [await bench.order(), await bench.order()]
    const rows = await send(instrument, [
      { specimen: good, code: 'chol', value: '180' },
      { specimen: bad, code: 'chol', value: '-----' },
    ])
    const { body } = await decide('accept', rows, { dryRun: true })
    expect(body.data).toMatchObject({ done: [rows[0].id], refused: [{ id: rows[1].id, code: 'value' }] })
    expect((await bench.reqTest(good)).result).toBeNull()
    expect((await now(rows[0].id)).state).toBe('REVIEW')
  })
  it('BENCH-20 refuses a stale version, and a second decision', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180' }])
    const stale = await decide('accept', [{ id: row.id, version: row.version + 1 }])
    expect(stale.body.data).toMatchObject({ done: [], refused: [{ id: row.id, code: 'conflict' }] })
    expect((await decide('accept', [row])).body.data.done).toEqual([row.id])
    expect((await decide('accept', [row])).body.data.refused).toMatchObject([{ id: row.id, code: 'conflict' }])
  })
  it('BENCH-20 BENCH-24 takes one decision of two people at once, and tells the other who was first', async () => {
    const instrument = await bench.addInstrument()
    const people = [await bench.test.as('STF'), await bench.test.as('MGMT')]
    const orders = [await bench.order(['CHOL', 'HDL']), await bench.order(['CHOL', 'HDL'])]
    const rows = await send(
      instrument,
      orders.map((specimen, index) => ({ specimen, code: 'chol', value: String(180 + index) })),
    )
    const replies = await Promise.all(
      people.map((person) => person.post('review_results/accept', { items: rows.map(item) })),
    )
    const done = replies.flatMap(({ body }) => body.data.done)
    const refused = replies.flatMap(({ body }) => body.data.refused)
    expect(done.toSorted()).toEqual(rows.map(({ id }: { id: number }) => id).toSorted())
    expect(refused).toHaveLength(2)
    for (const one of refused)
      expect(one).toMatchObject({ code: 'conflict', message: expect.stringContaining('has accepted this result') })
    const { rows: history } = await bench.test.database.pool.query(
      "select requisition_id from audit_entry where requisition_id = any($1) and action = 'INSTRUMENT'",
      [orders],
    )
    expect(history).toHaveLength(2)
    const late = await people[1]?.post('review_results/reject', { items: rows.map(item), reason: 'Clot' })
    expect(late?.body.data).toMatchObject({ done: [], refused: [{ code: 'conflict' }, { code: 'conflict' }] })
    expect((await bench.reqTest(orders[0] as number)).result).toBe('180')
  })
  it('BENCH-20 BENCH-04 needs a reason for rerun and reject, and a rerun opens the test for the instrument again', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order()
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180' }])
    for (const how of ['rerun', 'reject']) expect((await decide(how, [row])).status).toBe(400)
    expect((await decide('rerun', [row], { reason: 'Clot' })).body.data.done).toEqual([row.id])
    const analyser = await bench.connect(instrument)
    expect((await analyser.query([String(reqId)]))[2]).toContain('^^^chol')
    analyser.close()
    await until(
      () => bench.linkOf(instrument.id),
      ({ linkState }) => linkState === 'LISTENING',
    )
    const [, again] = await send(instrument, [
      { specimen: reqId, code: 'chol', value: '182', at: '20261118100000' },
    ]).then(() => bench.resultsOf(`reqId:${reqId}`))
    expect(codes(again)).not.toContain('REPEAT')
    expect((await decide('reject', [again], { reason: 'Hemolysis' })).body.data.done).toEqual([again.id])
    expect((await now(again.id)).state).toBe('REJECTED')
  })
  it('BENCH-07 asks why one of several results counts; the others are superseded', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order(['CHOL', 'HDL'])
    const rows = await send(instrument, [
      { specimen: reqId, code: 'chol', value: '180' },
      { specimen: reqId, code: 'chol', value: '190' },
    ])
    expect((await decide('accept', [rows[1]])).body.data.refused).toMatchObject([{ code: 'reason' }])
    expect((await decide('accept', [rows[1]], { reason: 'The first had a clot' })).body.data.done).toEqual([rows[1].id])
    expect((await now(rows[0].id)).state).toBe('SUPERSEDED')
    const third = await send(instrument, [{ specimen: reqId, code: 'chol', value: '200' }]).then(async () =>
      (await bench.resultsOf(`reqId:${reqId}`)).at(-1),
    )
    expect(codes(third)).toContain('REPEAT')
    expect((await decide('accept', [third], { reason: 'Run again' })).body.data.done).toEqual([third.id])
    expect((await bench.reqTest(reqId)).result).toBe('200')
    expect((await now(rows[1].id)).state).toBe('SUPERSEDED')
  })
  it('BENCH-07 takes another result of the last test of an order too, which comes back to Resulted', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order(['CHOL'])
    const statusOf = async () => (await bench.staff().get(`requisitions/${reqId}`)).body.data.reqStatusCode
    const [first] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180' }])
    expect((await decide('accept', [first])).body.data.done).toEqual([first.id])
    expect(await statusOf()).toBe('RESULT')
    const second = await send(instrument, [{ specimen: reqId, code: 'chol', value: '200' }]).then(async () =>
      (await bench.resultsOf(`reqId:${reqId}`)).at(-1),
    )
    expect((await decide('accept', [second])).body.data.refused).toMatchObject([{ code: 'reason' }])
    expect((await decide('accept', [second], { reason: 'A clot' })).body.data.done).toEqual([second.id])
    expect([(await bench.reqTest(reqId)).result, await statusOf()]).toEqual(['200', 'RESULT'])
    expect((await now(first.id)).state).toBe('SUPERSEDED')
  })
  it('BENCH-07 BENCH-24 takes another result of a Reported order too: its report is held, and never released with the old value', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order(['CHOL'])
    const statusOf = async () => (await bench.staff().get(`requisitions/${reqId}`)).body.data.reqStatusCode
    const next = async (value: string) => {
      await send(instrument, [{ specimen: reqId, code: 'chol', value }])
      return (await bench.resultsOf(`reqId:${reqId}`)).at(-1)
    }
    expect((await decide('accept', [await next('180')])).status).toBe(200)
    const made = await bench.staff().post(`requisitions/${reqId}/reports/make`, {})
    await bench.staff().put(`requisitions/RESULT/next_status/bulk_move?id=${reqId}`, {})
    expect(await statusOf()).toBe('REPORT')
    const reports = `requisitions/${reqId}/reports`
    const qcOf = async () =>
      (await bench.staff().get(reports)).body.data.map((row: { id: number; labQcStatusCode: string }) => [
        row.id,
        row.labQcStatusCode,
      ])

    const second = await next('200')
    const asked = (await decide('accept', [second])).body.data.refused
    expect(asked).toMatchObject([{ code: 'reason', message: expect.stringContaining('report is put on hold') }])
    expect((await decide('accept', [second], { reason: 'A clot', dryRun: true })).body.data.done).toEqual([second.id])
    expect(await qcOf()).toEqual([[made.body.data.id, 'PENDING']])
    expect((await decide('accept', [second], { reason: 'A clot' })).body.data.done).toEqual([second.id])
    expect([(await bench.reqTest(reqId)).result, await statusOf()]).toEqual(['200', 'RESULT'])
    expect(await qcOf()).toEqual([[made.body.data.id, 'HOLD']])
    const release = (id: number) => bench.admin().put(`${reports}/${id}`, { labQcStatusCode: 'RELEASE' })
    const refused = await release(made.body.data.id)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('CHOL')])

    const again = await bench.staff().post(`${reports}/make`, {})
    expect((await release(again.body.data.id)).status).toBe(200)
    await bench.staff().put(`requisitions/RESULT/next_status/bulk_move?id=${reqId}`, {})
    expect(await statusOf()).toBe('REPORT')
    const third = await next('220')
    const late = (await decide('accept', [third], { reason: 'Again' })).body.data.refused
    expect(late).toMatchObject([{ code: 'state', message: expect.stringContaining('has been released') }])
    expect((await bench.reqTest(reqId)).result).toBe('200')
    expect(await qcOf()).toContainEqual([again.body.data.id, 'RELEASE'])
  })
  it('BENCH-07 never changes a released result; it becomes a question', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order(['CHOL'], { status_code: 'RELEASE' })
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180' }])
    expect([row.state, codes(row).includes('RELEASED')]).toEqual(['REVIEW', true])
    expect((await decide('accept', [row])).body.data.refused).toMatchObject([{ code: 'state' }])
    expect((await bench.reqTest(reqId)).result).toBeNull()
  })
  it('QC-06 BENCH-20 cannot accept while quality control is out', async () => {
    const instrument = await bench.addInstrument()
    await bench.putInControl(instrument.id, 'CHOL', '150')
    const reqId = await bench.order()
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180' }])
    expect(codes(row)).toContain('QC_OUT')
    expect((await decide('accept', [row])).body.data.refused).toMatchObject([{ code: 'qc' }])
  })
  it('BENCH-20 accepts a held result that now passes a rule, which is done and not refused', async () => {
    const { instrument } = await openRule()
    const reqId = await bench.order(['CHOL'], { status_code: 'ACC' })
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180' }])
    expect([row.state, codes(row)]).toEqual(['HELD', ['NOT_ORDERED']])
    await bench.test.database.owner.query("update requisition set status_code = 'PROCESS' where id = $1", [reqId])
    const { body } = await decide('accept', [row])
    expect(body.data).toEqual({ done: [row.id], refused: [] })
    expect((await bench.reqTest(reqId)).result).toBe('180')
  })
})

describe('a result of a time out of control', () => {
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  const lookbacksOf = async (reqId: number) => (await bench.staff().get(`qc_lookbacks?reqId=${reqId}`)).body.data

  it('QC-06 that comes after control is back is held, and to be looked at again when it is accepted', async () => {
    const { instrument, lotId } = await openRule()
    const of = { instrumentId: instrument.id, testCode: 'CHOL' }
    const values = [{ lotId, value: '150' }]
    await bench.staff().post('qc_runs', { ...of, ranAt: hoursAgo(3).toISOString(), values })
    await bench
      .staff()
      .post('qc_actions', { ...of, cause: 'Drift', action: 'Calibrated', doneAt: hoursAgo(1).toISOString() })
    const [late, now_] = [await bench.order(), await bench.order()]
    const rows = await send(instrument, [
      { specimen: late, code: 'chol', value: '180', at: astmTime(hoursAgo(2)) },
      { specimen: now_, code: 'chol', value: '181', at: astmTime(new Date()) },
    ])
    expect(rows.map(({ state }) => state)).toEqual(['REVIEW', 'VERIFIED'])
    expect(rows[0].reasons).toMatchObject([{ code: 'QC_OUT', text: expect.stringContaining('was out of control') }])
    expect((await decide('accept', [rows[0]])).body.data.done).toEqual([rows[0].id])
    expect(await lookbacksOf(late)).toMatchObject([{ value: '180', state: 'OPEN' }])
    expect(await lookbacksOf(now_)).toEqual([])
  })
  it('QC-06 is found although the clock of the instrument is slow', async () => {
    const { instrument, putOut } = await openRule()
    const slow = astmTime(hoursAgo(2))
    const reqId = await bench.order()
    const analyser = await bench.connect(instrument)
    await analyser.send(resultRecords([{ specimen: reqId, code: 'chol', value: '180', at: slow }], slow))
    analyser.close()
    const [row] = await until(
      () => bench.resultsOf(`reqId:${reqId}`),
      (list) => list.length > 0,
    )
    expect(row.state).toBe('VERIFIED')
    await putOut('150')
    expect(await lookbacksOf(reqId)).toMatchObject([{ value: '180', state: 'OPEN' }])
  })
  it('QC-07 a control whose instrument is ahead of time counts from when it came', async () => {
    const { instrument, lotId } = await openRule()
    await bench.admin().put(`instruments/${instrument.id}/controls`, { controls: [{ specimenId: 'QC-1', lotId }] })
    const analyser = await bench.connect(instrument)
    await analyser.send(resultRecords([{ specimen: 'QC-1', code: 'chol', value: '101', at: astmTime(hoursAgo(-20)) }]))
    analyser.close()
    await until(
      () => bench.resultsOf(`instrumentId:${instrument.id}`),
      (list) => list.length > 0,
    )
    const { data } = (await bench.staff().get(`qc_status?instrumentId=${instrument.id}&testCode=CHOL`)).body
    expect(Date.parse(data[0].lastGoodRunAt)).toBeLessThanOrEqual(Date.now())
  })
})

describe('autoverification', () => {
  it('BENCH-21 verifies what meets every condition, and answers later why', async () => {
    const { instrument, ruleId } = await openRule()
    const reqId = await bench.order()
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '240', abnormal: 'H' }])
    expect([row.state, row.reasons]).toEqual(['VERIFIED', []])
    expect(await bench.reqTest(reqId)).toMatchObject({ result: '240', instrumentResultId: row.id })
    const { decision } = await now(row.id)
    expect(decision).toMatchObject({ outcome: 'PASSED', ruleId, ruleVersion: 1 })
    expect(decision.checks.every(({ passed }: { passed: boolean }) => passed)).toBe(true)
  })
  it.each<[string, Partial<SentResult>, string[]]>([
    ['a value outside its limits and a flag', { value: '240.1', abnormal: 'A' }, ['FLAG', 'RANGE']],
    ['a value that is not a number', { value: '>500' }, ['NOT_NUMERIC']],
    ['a comment of the instrument', { value: '180', comments: ['Clot'] }, ['FLAG']],
  ])('BENCH-21 holds %s with all reasons', async (_, over, reasons) => {
    const { instrument } = await openRule()
    const reqId = await bench.order()
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180', ...over }])
    expect([row.state, codes(row)]).toEqual(['REVIEW', reasons])
    expect((await now(row.id)).decision.outcome).toBe('HELD')
  })
  it('BENCH-21 holds for an open issue, an old or wrong specimen, a critical value and a delta', async () => {
    const { instrument } = await openRule({
      maxSpecimenHours: 1,
      deltaLimit: '10',
      deltaKind: 'percent',
      deltaDays: 30,
      high: '900',
    })
    const limit = await bench.admin().post('critical_limits', { testCode: 'CHOL', hi: '400' })
    const patient = await bench.test.given.patient()
    await earlier(patient.id)
    const { id: reqId } = await bench.test.given.requisition({ status_code: 'PROCESS', patient_id: patient.id })
    await bench.test.given.orderedTest(reqId, 'CHOL')
    await bench.test.given.issue(reqId)
    await bench.test.database.db.deleteFrom('specimen').where('requisition_id', '=', reqId).execute()
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '450' }])
    expect(codes(row)).toEqual(['CRITICAL', 'DELTA', 'ISSUE', 'SPECIMEN_TYPE', 'SPECIMEN_AGE'])
    await bench.admin().del(`critical_limits/${limit.body.data.id}`)
  })
  it('BENCH-21 waits until calculated tests are complete', async () => {
    const { instrument } = await openRule()
    const reqId = await bench.order(['CHOL', 'HDL', 'TRIG', 'LDL'])
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '200' }])
    expect([row.state, codes(row)]).toEqual(['REVIEW', ['INCOMPLETE']])
    const rows = await send(instrument, [
      { specimen: reqId, code: 'hdl', value: '50' },
      { specimen: reqId, code: 'trig', value: '100' },
    ])
    await decide(
      'accept',
      rows.filter(({ id }: { id: number }) => id !== row.id),
    )
    expect((await now(row.id)).state).toBe('VERIFIED')
    expect((await bench.reqTest(reqId, 'LDL')).reportableResult).toBe('130')
  })
  it('BENCH-22 is off for a new and for a changed rule, and needs a reason to be switched on', async () => {
    const { instrument, rule } = await openRule()
    expect((await bench.admin().put(`${rule}/switch`, { isActive: 0 })).status).toBe(400)
    expect((await bench.staff().put(`${rule}/switch`, { isActive: 0, reason: 'No' })).status).toBe(403)
    const changed = await bench.admin().put(rule, { high: 250 })
    expect(changed.body.data).toMatchObject({ high: '250', isActive: 0, ruleVersion: 2 })
    const [row] = await send(instrument, [{ specimen: await bench.order(), code: 'chol', value: '180' }])
    expect(codes(row)).toEqual(['NO_RULE'])
  })
  it('BENCH-22 is tried over past results, and changes nothing', async () => {
    const { instrument, rule } = await openRule({ low: '100', high: '200' })
    const rows = await send(instrument, [
      { specimen: await bench.order(['CHOL', 'HDL']), code: 'chol', value: '150' },
      { specimen: await bench.order(['CHOL', 'HDL']), code: 'chol', value: '300' },
    ])
    await decide('accept', [rows[1]])
    const changed = await bench.reqTest(rows[0].reqId)
    await bench.staff().put(`requisitions/${rows[0].reqId}/req_tests/${changed.reqTestId}/modify`)
    const open = await bench.reqTest(rows[0].reqId)
    await bench.staff().put(`requisitions/${rows[0].reqId}/req_tests/bulk_edit`, {
      reqTests: [{ reqTestId: open.reqTestId, result: '160', isConfirmed: 1 }],
    })
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const { body } = await bench.admin().post(`${rule}/try`, { fromDate: day(-1), toDate: day(1) })
    expect(body.data).toMatchObject({ considered: 2, wouldPass: 1, laterCorrected: 1, laterFailed: 0, critical: 0 })
    expect(body.data.list).toHaveLength(2)
    const wide = await bench
      .admin()
      .post('autoverify_rules', { testCode: 'CHOL', labId: instrument.labId, low: 1, high: 200 })
    expect(wide.status).toBe(200)
  })
  it('BENCH-22 gives the reasons of the decision when it is tried: a flag and an old specimen', async () => {
    const { instrument, rule } = await openRule({ maxSpecimenHours: 1 })
    const collectedAt = new Date(Date.now() - 2.5 * 3_600_000).toISOString()
    const reqId = await bench.order(['CHOL'], { collected_at: collectedAt })
    const [row] = await send(instrument, [{ specimen: reqId, code: 'chol', value: '180', abnormal: 'A' }])
    expect(codes(row)).toEqual(['FLAG', 'SPECIMEN_AGE'])
    const words = row.reasons.map(({ text }: { text: string }) => text)
    expect(words[1]).toBe('The specimen was 2 hours old; the limit is 1')
    const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    const { body } = await bench.admin().post(`${rule}/try`, { fromDate: day(-1), toDate: day(1) })
    expect(body.data.list).toEqual([expect.objectContaining({ reqId, wouldPass: 0, reasons: words })])
  })
  it('BENCH-23 is stopped by staff and started by managers, each with a reason', async () => {
    const { instrument } = await openRule()
    expect((await bench.staff().put('autoverify/stop', {})).status).toBe(400)
    expect((await bench.staff().put('autoverify/stop', { reason: 'Odd results' })).body.data).toMatchObject({
      isStopped: 1,
      reason: 'Odd results',
      byName: expect.any(String),
      since: expect.any(String),
    })
    const [row] = await send(instrument, [{ specimen: await bench.order(), code: 'chol', value: '180' }])
    expect(codes(row)).toEqual(['STOPPED'])
    expect((await bench.staff().put('autoverify/start', { reason: 'Fine' })).status).toBe(403)
    expect((await bench.admin().put('autoverify/start', { reason: 'Fine' })).body.data).toMatchObject({ isStopped: 0 })
    const [next] = await send(instrument, [{ specimen: await bench.order(), code: 'chol', value: '180' }])
    expect(next.state).toBe('VERIFIED')
  })
})

describe('undo', () => {
  const undo = (undoId: number) => bench.staff().post(`undo_actions/${undoId}/undo`, {})
  const wait = async (results: readonly SentResult[]) => send(await bench.addInstrument(), results)

  it('BENCH-20 puts a rejected and a rerun result back on the queue, once', async () => {
    const reqId = await bench.order(['CHOL', 'HDL'])
    const [first, second] = await wait([
      { specimen: reqId, code: 'chol', value: '180' },
      { specimen: reqId, code: 'hdl', value: '50' },
    ])
    const rejected = await decide('reject', [first], { reason: 'Clot' })
    const rerun = await decide('rerun', [second], { reason: 'Dilute 1:5' })
    expect([(await now(first.id)).state, (await now(second.id)).state]).toEqual(['REJECTED', 'RERUN'])
    for (const { body } of [rejected, rerun]) expect((await undo(body.undoId)).status).toBe(200)
    expect([(await now(first.id)).state, (await now(second.id)).state]).toEqual(['REVIEW', 'REVIEW'])
    expect((await now(first.id)).decisionReason).toBeNull()
    expect((await undo(rejected.body.undoId)).status).toBe(409)
    const dry = await decide('reject', [await now(first.id)], { reason: 'Clot', dryRun: true })
    expect(dry.body.undoId).toBeUndefined()
  })

  it('BENCH-20 BENCH-24 takes an accepted result off its test again, also when it had moved the requisition to Resulted', async () => {
    const reqId = await bench.order(['CHOL'])
    const [result] = await wait([{ specimen: reqId, code: 'chol', value: '180' }])
    const { body } = await decide('accept', [result])
    expect((await bench.reqTest(reqId)).reportableResult).toBe('180')
    const statusOf = async () => (await bench.staff().get(`requisitions/${reqId}`)).body.data.reqStatusCode
    expect(await statusOf()).toBe('RESULT')
    const undone = await undo(body.undoId)
    expect([undone.status, undone.body.message]).toEqual([200, 'Undone: Accept 1 result'])
    expect([await statusOf(), (await bench.reqTest(reqId)).reportableResult]).toEqual(['PROCESS', null])
    expect(await now(result.id)).toMatchObject({ state: 'REVIEW', decidedByName: null })
    expect((await decide('accept', [await now(result.id)], { reason: 'Looked at again' })).body.data.done).toEqual([
      result.id,
    ])
  })

  it('BENCH-20 is refused with a reason once the result was changed, or a critical call was raised', async () => {
    const changed = await bench.order(['CHOL', 'HDL'])
    const [result] = await wait([{ specimen: changed, code: 'chol', value: '180' }])
    const { body } = await decide('accept', [result])
    const { reqTestId } = await bench.reqTest(changed)
    await bench.staff().put(`requisitions/${changed}/req_tests/${reqTestId}/modify`)
    const refused = await undo(body.undoId)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('has been changed since')])

    await bench.admin().post('critical_limits', { testCode: 'TRIG', hi: '1000' })
    const critical = await bench.order(['TRIG', 'HDL'])
    const [high] = await wait([{ specimen: critical, code: 'trig', value: '1200' }])
    const accepted = await decide('accept', [high])
    expect((await undo(accepted.body.undoId)).body.message).toContain('its call is on the list')
  })
})
