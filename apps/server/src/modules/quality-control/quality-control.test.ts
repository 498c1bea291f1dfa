import { DateTime } from 'luxon'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { loadKit } from '../../../test/csv-loads.ts'

const test = openTestApp()
let [admin, staff] = [{}, {}] as [Caller, Caller]
beforeAll(async () => {
  ;[admin, staff] = [await test.as('ADM'), await test.as('STF')]
})

let serial = 0
const hourMs = 3_600_000
const now = Date.now()
/** A number of hours ago. */
const ago = (hours: number) => new Date(now - hours * hourMs).toISOString()
/** The day so many days ago. */
const dayAgo = (days: number) => ago(24 * days).slice(0, 10)

interface Bench {
  instrumentId: number
  labId: number
  lots: number[]
}

/** An instrument with lots of some levels, each with mean 100 and SD 10. */
const openBench = async (levels = 2): Promise<Bench> => {
  const labId = (await test.given.lab()).id
  const instrument = await admin.post('instruments', { name: `Analyser ${++serial}`, labId, protocol: 'ASTM' })
  const instrumentId = instrument.body.data.id
  const material = await admin.post('qc_materials', { name: `Material ${serial}`, maker: 'Maker' })
  const lots: number[] = []
  for (let level = 1; level <= levels; level++) {
    const lotId = await addLot(material.body.data.id, level, `L${serial}-${level}`)
    await setTarget({ lotId, instrumentId })
    lots.push(lotId)
  }
  return { instrumentId, labId, lots }
}
const addLot = async (materialId: number, level: number, lotNumber: string, more: object = {}): Promise<number> =>
  (await admin.post('qc_lots', { materialId, level, lotNumber, opened: '2026-01-01', expires: '2030-01-01', ...more }))
    .body.data.id
const setTarget = (over: object) =>
  admin.post('qc_targets', {
    testCode: 'CHOL',
    mean: '100',
    sd: '10',
    source: 'MAKER',
    validFrom: ago(1000),
    validTo: null,
    ...over,
  })

const run = (bench: Bench, hours: number, values: (string | number)[], more: object = {}) =>
  staff.post('qc_runs', {
    instrumentId: bench.instrumentId,
    testCode: 'CHOL',
    ranAt: ago(hours),
    operator: 's.tech',
    values: values.map((value, index) => ({ lotId: bench.lots[index], value })),
    ...more,
  })
const statusOf = async ({ instrumentId }: Bench) =>
  (await staff.get(`qc_status?instrumentId=${instrumentId}&testCode=CHOL`)).body.data[0]
const act = ({ instrumentId }: Bench, hours: number) =>
  staff.post('qc_actions', { instrumentId, testCode: 'CHOL', cause: 'Drift', action: 'Calibrated', doneAt: ago(hours) })
const brokenRules = (body: { data: { broken: { rule: string }[] } }) =>
  body.data.broken.map(({ rule }) => rule).join(' ')

describe('instruments', () => {
  it('are created, read, changed and deleted by managers, and read by staff', async () => {
    const labId = (await test.given.lab()).id
    const body = {
      name: 'Cobas',
      labId,
      model: 'c 503',
      serialNumber: '123',
      protocol: 'HL7',
      host: '10.0.0.5',
      port: 4001,
    }
    const { status, body: created } = await admin.post('instruments', body)
    expect(status).toBe(200)
    const path = `instruments/${created.data.id}`
    expect((await staff.get(path)).body.data).toMatchObject({ ...body, isActive: 1, version: 1 })
    expect((await admin.put(path, { isActive: 0 })).body.data).toMatchObject({ ...body, isActive: 0, version: 2 })
    expect((await staff.put(path, { isActive: 1 })).status).toBe(403)
    expect((await staff.get(`instruments?filter=[id:${created.data.id}]`)).body.total).toBe(1)
    expect((await admin.del(path)).status).toBe(200)
    expect((await staff.get(path)).status).toBe(404)
  })
  it.each([
    ['name', { name: '' }],
    ['labId', { labId: 999_999 }],
    ['protocol', { protocol: 'POCT' }],
    ['port', { port: 70_000 }],
    ['port', { host: 'somewhere', port: null }],
  ])('BENCH-01 refuses a wrong %s', async (field, wrong) => {
    const labId = (await test.given.lab()).id
    const { status, body } = await admin.post('instruments', {
      name: 'X',
      labId,
      protocol: 'ASTM',
      port: 4000,
      ...wrong,
    })
    expect([status, body.errors[0].field]).toEqual([400, field])
  })
})

describe('QC-01 materials, lots and targets', () => {
  it('are kept by managers and read by staff', async () => {
    const bench = await openBench(1)
    expect((await staff.post('qc_materials', { name: 'Mine' })).status).toBe(403)
    const lots = (await staff.get('qc_lots')).body.data
    expect(lots).toContainEqual(
      expect.objectContaining({ id: bench.lots[0], level: 1, expires: '2030-01-01', isParallel: 0 }),
    )
    const { data } = (await staff.get(`qc_targets?instrumentId=${bench.instrumentId}&testCode=CHOL`)).body
    expect(data).toEqual([expect.objectContaining({ lotId: bench.lots[0], mean: '100', sd: '10', source: 'MAKER' })])
  })
  it.each([
    ['sd', { sd: '0' }],
    ['sd', { sd: -1 }],
    ['mean', { mean: '1,5' }],
    ['source', { source: 'GUESS' }],
    ['testCode', { testCode: 'NOPE' }],
    ['validTo', { validTo: ago(2000) }],
  ])('refuse a target with a wrong %s', async (field, wrong) => {
    const bench = await openBench(1)
    const { status, body } = await setTarget({ lotId: bench.lots[0], instrumentId: bench.instrumentId, ...wrong })
    expect([status, body.errors[0].field]).toEqual([400, field])
  })
  it('QC-01 QC-05 take days of the laboratory as the validity of a target, the last one included', async () => {
    const { instrumentId, lots } = await openBench(1)
    const days = { validFrom: '2026-03-02', validTo: '2026-03-02' }
    expect((await setTarget({ testCode: 'HDL', lotId: lots[0], instrumentId, ...days })).status).toBe(200)
    const [{ labZone }] = (await staff.get(`instruments?filter=[id:${instrumentId}]`)).body.data
    const at = (time: string) => DateTime.fromISO(time, { zone: labZone }).toUTC().toISO()
    const [target] = (await staff.get(`qc_targets?instrumentId=${instrumentId}&testCode=HDL`)).body.data
    expect([target.validFrom, target.validTo].map((time) => Date.parse(time))).toEqual(
      ['2026-03-02T00:00', '2026-03-03T00:00'].map((time) => Date.parse(at(time) as string)),
    )
  })
  it('refuse a level beyond 4', async () => {
    const material = (await admin.post('qc_materials', { name: `M${++serial}` })).body.data.id
    const body = { materialId: material, level: 5, lotNumber: '1', expires: '2030-01-01' }
    expect((await admin.post('qc_lots', body)).status).toBe(400)
  })
})

describe('runs', () => {
  it('hold one value for each level, and are the same when read again', async () => {
    const bench = await openBench()
    const { status, body } = await run(bench, 5, ['105', 95.5], { runNo: 7 })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ runNo: '7', state: 'IN', isVoid: 0, broken: [], operator: 's.tech' })
    expect(body.data.values).toMatchObject([
      { level: 1, value: '105', z: '0.5000', state: 'IN' },
      { level: 2, value: '95.5', z: '-0.4500', state: 'IN' },
    ])
    expect((await staff.get(`qc_runs/${body.data.id}`)).body.data).toEqual(body.data)
    expect((await staff.get(`qc_runs?instrumentId=${bench.instrumentId}&testCode=CHOL`)).body).toMatchObject({
      total: 1,
      data: [body.data],
    })
  })
  it('take more levels under the same number, but no level twice', async () => {
    const bench = await openBench()
    const level = (index: number) => ({ runNo: '1', values: [{ lotId: bench.lots[index], value: '100' }] })
    const first = (await run(bench, 5, [], level(0))).body.data
    const second = await run(bench, 5, [], level(1))
    expect(second.body.data).toMatchObject({ id: first.id, state: 'IN', values: [{ level: 1 }, { level: 2 }] })
    expect((await run(bench, 5, [], level(1))).status).toBe(409)
    expect((await run(bench, 4, [], { values: [level(0).values[0], level(0).values[0]] })).status).toBe(409)
  })
  it('refuse an expired lot, an unknown one, and a value that is not a number', async () => {
    const bench = await openBench(1)
    const [lotId] = bench.lots
    const fieldOf = async (values: object[]) => (await run(bench, 5, [], { values })).body.errors[0].field
    expect(await fieldOf([{ lotId: 999_999, value: '1' }])).toBe('values.0.lotId')
    expect(await fieldOf([{ lotId, value: '<5' }])).toBe('values.0.value')
    expect((await admin.put(`qc_lots/${lotId}`, { expires: '2026-01-02', opened: null })).status).toBe(200)
    expect(await fieldOf([{ lotId, value: '1' }])).toBe('values.0.lotId')
  })
})

describe('the time of a run', () => {
  it('QC-07 QC-08 is not in the future: a run of tomorrow would keep its test in control until then', async () => {
    const bench = await openBench(1)
    const { status, body } = await run(bench, -1, ['100'])
    expect([status, body.errors[0].field]).toEqual([400, 'ranAt'])
    const action = await act(bench, -1)
    expect([action.status, action.body.errors[0].field]).toEqual([400, 'doneAt'])
    expect((await run(bench, -1 / 60, ['100'])).status).toBe(200)
  })
  it('QC-02 is on a day of the laboratory: a lot may be used on its last day there', async () => {
    const bench = await openBench(1)
    await admin.put(`qc_lots/${bench.lots[0]}`, { opened: null, expires: dayAgo(6) })
    const at = async (ranAt: string) => (await run(bench, 0, ['100'], { ranAt })).status
    expect(await at(`${dayAgo(5)}T02:00:00Z`)).toBe(200)
    expect(await at(`${dayAgo(5)}T06:00:00Z`)).toBe(400)
    expect(await at(`${dayAgo(5)}T00:30:00-05:00`)).toBe(400)
    expect(await at(`${dayAgo(5)}T10:00:00+14:00`)).toBe(200)
  })
})

describe('QC-03 own targets', () => {
  it('are proposed from 20 runs, with the rejected and without the void ones', async () => {
    const bench = await openBench(1)
    const path = `qc_targets/proposal?lotId=${bench.lots[0]}&testCode=CHOL&instrumentId=${bench.instrumentId}`
    for (let n = 0; n < 19; n++) await run(bench, 50 - n, [n % 2 ? '90' : '110'])
    expect((await staff.get(path)).body.data).toMatchObject({ n: 19, isReady: 0 })
    await run(bench, 20, ['150'])
    const slip = (await run(bench, 19, ['10'])).body.data
    await staff.post(`qc_runs/${slip.id}/void`, { reason: 'Typing error' })
    const { data } = (await staff.get(path)).body
    expect(data).toMatchObject({ n: 20, isReady: 1 })
    expect(Number(data.mean)).toBeCloseTo((110 * 10 + 90 * 9 + 150) / 20, 5)
    expect(Number(data.sd)).toBeCloseTo(14.9032, 3)
    expect(Number(data.cv)).toBeCloseTo((100 * Number(data.sd)) / Number(data.mean), 4)
  })
})

describe('QC-04 rules of a plan', () => {
  it('are the default ones without a plan, and the reply names what breaks them', async () => {
    const bench = await openBench()
    const { data } = (await run(bench, 5, ['121', '122'])).body
    expect(data.state).toBe('REJECTED')
    expect(data.broken).toEqual([
      { rule: '1-2s', action: 'WARN', levels: [1, 2], valueIds: data.values.map(({ id }: { id: number }) => id) },
      { rule: '2-2s', action: 'REJECT', levels: [1, 2], valueIds: data.values.map(({ id }: { id: number }) => id) },
    ])
  })
  it('are those that the plan chooses', async () => {
    const bench = await openBench(1)
    const plan = (rules: object[]) =>
      admin.put('qc_plans', { instrumentId: bench.instrumentId, testCode: 'CHOL', rules, everyHours: 24 })
    expect((await plan([{ rule: '9-x', action: 'WARN' }])).status).toBe(400)
    expect((await plan([{ rule: '1-2s', action: 'REJECT' }])).status).toBe(200)
    expect((await run(bench, 5, ['120'])).body.data).toMatchObject({ state: 'IN', broken: [] })
    expect((await run(bench, 4, ['120.0000001'])).body.data).toMatchObject({ state: 'REJECTED' })
  })
})

it('QC-05 a value without a target at its time is not evaluated', async () => {
  const bench = await openBench(1)
  const { data } = (await run(bench, 2000, ['100'])).body
  expect(data).toMatchObject({ state: 'NOT_EVALUATED', values: [{ z: null, state: 'NOT_EVALUATED' }] })
  expect((await statusOf(bench)).state).toBe('DUE')
})

/** A requisition with a result of the bench's laboratory. */
const resultOf = async ({ labId }: Bench, hours: number) => {
  const { id } = await test.given.requisition({ lab_id: labId, status_code: 'REPORT', is_dem_qc_pass: true })
  const report = await test.given.store('report', {
    requisition_id: id,
    qc_type_code: 'LAB',
    lab_qc_status_code: 'RELEASE',
  })
  const { id: reqTestId } = await test.given.orderedTest(id, 'CHOL', {
    result: '180',
    reportable_result: '180',
    process_date: ago(hours),
  })
  return { id, reqTestId, reportId: report.id }
}
const lookbacksOf = async ({ instrumentId }: Bench) =>
  (await staff.get(`qc_lookbacks?instrumentId=${instrumentId}`)).body.data as {
    id: number
    reqId: number
    state: string
  }[]

describe('a rejection', () => {
  const rejectedBench = async () => {
    const bench = await openBench(1)
    await test.database.owner.query("update instrument set created_at = '2020-01-01' where id = $1", [
      bench.instrumentId,
    ])
    const before = await resultOf(bench, 30)
    await run(bench, 24, ['100'])
    const after = await resultOf(bench, 20)
    await run(bench, 10, ['140'])
    return { bench, before, after }
  }
  it('lists the results since the last run in control, and blocks their release until they are settled', async () => {
    const { bench, after } = await rejectedBench()
    expect(await statusOf(bench)).toMatchObject({ state: 'OUT', heldCount: 1, lookBackCount: 1, openActions: 1 })
    const [lookback] = await lookbacksOf(bench)
    expect(lookback).toMatchObject({
      reqId: after.id,
      reqTestId: after.reqTestId,
      value: '180',
      isReleased: 0,
      state: 'OPEN',
    })
    const release = async () =>
      JSON.stringify((await staff.put(`requisitions/REPORT/next_status/bulk_move?id=${after.id}`, {})).body)
    expect(await release()).toContain('quality control')
    // Nor one of its reports.
    const { id: madeId } = (await staff.post(`requisitions/${after.id}/reports/make`, {})).body.data
    const setLabQc = (labQcStatusCode: string) =>
      staff.put(`requisitions/${after.id}/reports/${madeId}`, { labQcStatusCode })
    const refused = await setLabQc('RELEASE')
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('quality control')])
    expect((await setLabQc('HOLD')).status).toBe(200)
    const settle = (who: Caller, body: object) => who.post('qc_lookbacks/settle', { ids: [lookback?.id], ...body })
    expect((await settle(staff, { outcome: 'WAIVED', reason: 'Fine' })).status).toBe(403)
    expect((await settle(admin, { outcome: 'WAIVED' })).status).toBe(400)
    expect((await settle(staff, { outcome: 'CONFIRMED', reason: 'Measured on the other analyser' })).status).toBe(200)
    expect((await settle(staff, { outcome: 'CONFIRMED' })).status).toBe(200)
    expect((await settle(staff, { outcome: 'REPEATED' })).status).toBe(409)
    expect((await lookbacksOf(bench))[0]).toMatchObject({ state: 'CONFIRMED' })
    await test.database.owner.query("update report set lab_qc_status_code = 'RELEASE' where id = $1", [after.reportId])
    expect(await release()).toContain(`"moved":[${after.id}]`)
    const { data } = (await staff.get(`requisitions/${after.id}/req_hists`)).body
    expect(JSON.stringify(data)).toContain('Quality control')
  })
  it('marks what was released, and takes a reason to waive it', async () => {
    const bench = await openBench(1)
    await run(bench, 24, ['100'])
    const { reportId, reqTestId } = await resultOf(bench, 20)
    await test.database.owner.query('update report set release_at = now(), first_release_at = now() where id = $1', [
      reportId,
    ])
    await test.database.owner.query('update requisition_test set instrument_id = $1 where id = $2', [
      bench.instrumentId,
      reqTestId,
    ])
    await run(bench, 10, ['60'])
    const [lookback] = await lookbacksOf(bench)
    expect(lookback).toMatchObject({ isReleased: 1 })
    expect(await statusOf(bench)).toMatchObject({ heldCount: 0, lookBackCount: 1 })
    const body = { ids: [lookback?.id], outcome: 'WAIVED', reason: 'The bias is below the allowed error' }
    expect((await admin.post('qc_lookbacks/settle', body)).status).toBe(200)
  })
  it('also holds what is saved while the test is out of control', async () => {
    const { bench } = await rejectedBench()
    const { id } = await test.given.requisition({ lab_id: bench.labId, status_code: 'PROCESS' })
    const { id: reqTestId } = await test.given.orderedTest(id, 'CHOL')
    await test.given.orderedTest(id, 'HDL')
    const saved = await staff.put(`requisitions/${id}/req_tests/bulk_edit`, {
      reqTests: [{ reqTestId, result: '150', isConfirmed: 1 }],
    })
    expect(saved.status).toBe(200)
    expect((await lookbacksOf(bench)).map(({ reqId }) => reqId)).toContain(id)
  })
  it('QC-06 asks to look again at another value that is saved on a settled result, once, and not at the same one', async () => {
    const { bench } = await rejectedBench()
    const { id } = await test.given.requisition({ lab_id: bench.labId, status_code: 'PROCESS' })
    const { id: reqTestId } = await test.given.orderedTest(id, 'CHOL')
    await test.given.orderedTest(id, 'HDL')
    const save = async (result: string) =>
      (await staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests: [{ reqTestId, result, isConfirmed: 1 }] }))
        .status
    const retype = async (result: string) => {
      await staff.put(`requisitions/${id}/req_tests/${reqTestId}/modify`)
      return save(result)
    }
    const states = async () =>
      (await lookbacksOf(bench))
        .filter(({ reqId }) => reqId === id)
        .map(({ state }) => state)
        .sort()
    expect(await save('150')).toBe(200)
    const [open] = (await lookbacksOf(bench)).filter(({ reqId }) => reqId === id)
    await staff.post('qc_lookbacks/settle', { ids: [open?.id], outcome: 'REPEATED' })
    expect(await retype('150')).toBe(200)
    expect(await states()).toEqual(['REPEATED'])
    expect(await retype('170')).toBe(200)
    expect(await states()).toEqual(['OPEN', 'REPEATED'])
  })
  it('QC-06 of a requisition with a result to be looked at again: the status select does not release it either', async () => {
    const { after } = await rejectedBench()
    const select = (reqStatusCode: string) => admin.put(`requisitions/${after.id}`, { reqStatusCode })
    for (const code of ['RELEASE', 'DELIVER', 'READYBILL']) {
      const { status, body } = await select(code)
      expect([status, body.message]).toEqual([409, expect.stringContaining('quality control')])
    }
    expect((await select('HOLD')).status).toBe(200)
    expect((await select('RELEASE')).status).toBe(409)
    expect((await select('REPORT')).status).toBe(200)
  })
})

describe('QC-07 control comes back', () => {
  it('by a corrective action and a run in control after it, both in the audit', async () => {
    const bench = await openBench()
    await run(bench, 24, ['100', '100'])
    await run(bench, 10, ['140', '100'])
    await run(bench, 9, ['100', '100'])
    expect((await statusOf(bench)).state).toBe('OUT')
    expect(
      (await staff.post('qc_actions', { ...bench, testCode: 'CHOL', cause: 'Drift', doneAt: ago(8) })).status,
    ).toBe(400)
    const { id } = (await act(bench, 8)).body.data
    expect(await statusOf(bench)).toMatchObject({ state: 'OUT', openActions: 0 })
    await run(bench, 7, ['100'])
    expect((await statusOf(bench)).state).toBe('OUT')
    const { data } = (await run(bench, 6, ['121', '100'])).body
    expect(data.state).toBe('WARNING')
    expect(Date.parse((await statusOf(bench)).lastGoodRunAt)).toBe(Date.parse(data.ranAt))
    expect((await statusOf(bench)).state).not.toBe('OUT')
    const { rows } = await test.database.owner.query(
      `select entity, action from audit_entry where entity = 'qc_action' and entity_id = $1 or entity = 'qc_run' and entity_id = $2`,
      [id, data.id],
    )
    expect(rows).toHaveLength(2)
  })
})

describe('the signature of a corrective action', () => {
  const password = 'Correct-Horse-2026!'
  const signer = async () => {
    const caller = await test.as('STF')
    const { rows } = await test.database.owner.query('select user_name from app_user where id = $1', [caller.userId])
    const [{ user_name: userName }] = rows
    const account = { userId: caller.userId, userName, temporaryPassword: password }
    await test.services.identity.createUser(test.database.db, account)
    await test.services.identity.setPassword(test.database.db, userName, password, true)
    return caller
  }

  it('QC-07 is the last step: after a run in control and with every result looked at, once, with the own password', async () => {
    const bench = await openBench(1)
    const person = await signer()
    await run(bench, 24, ['100'])
    const { reqTestId } = await resultOf(bench, 20)
    await test.database.owner.query('update requisition_test set instrument_id = $1 where id = $2', [
      bench.instrumentId,
      reqTestId,
    ])
    await run(bench, 10, ['140'])
    const { id } = (await act(bench, 8)).body.data
    const sign = async (word = password) => {
      const { status, body } = await person.post(`qc_actions/${id}/sign`, { password: word })
      return [status, body.message ?? body.errors?.[0]?.message]
    }
    expect(await sign('Wrong-Horse-2026!')).toEqual([400, 'Password is not correct'])
    expect(await sign()).toEqual([409, expect.stringContaining('run again')])
    await run(bench, 6, ['100'])
    expect(await sign()).toEqual([409, expect.stringContaining('1 result is still to be looked at again')])
    const [open] = await lookbacksOf(bench)
    await staff.post('qc_lookbacks/settle', { ids: [open?.id], outcome: 'CONFIRMED' })
    expect((await sign())[0]).toBe(200)
    expect(await sign()).toEqual([409, expect.stringContaining('signed this action already')])
    const { body } = await staff.get(`qc_actions?instrumentId=${bench.instrumentId}&testCode=CHOL`)
    expect(body.data[0]).toMatchObject({ id, signedAt: expect.any(String), signedBy: expect.any(String) })
    const { rows } = await test.database.owner.query(
      "select action from audit_entry where entity = 'qc_action' and entity_id = $1 order by id",
      [id],
    )
    expect(rows.map(({ action }) => action)).toEqual(['CREATE', 'SIGN'])
  })
})

describe('control is due', () => {
  it('without a plan, without a run, after the hours and after the results of the plan', async () => {
    const bench = await openBench(1)
    const plan = (more: object) =>
      admin.put('qc_plans', {
        instrumentId: bench.instrumentId,
        testCode: 'CHOL',
        rules: [{ rule: '1-3s', action: 'REJECT' }],
        ...more,
      })
    expect((await statusOf(bench)).state).toBe('DUE')
    await run(bench, 5, ['100'])
    expect((await statusOf(bench)).state).toBe('DUE')
    await plan({ everyHours: 8 })
    expect((await statusOf(bench)).state).toBe('IN')
    await plan({ everyHours: 4 })
    expect((await statusOf(bench)).state).toBe('DUE')
    await plan({ everyResults: 2 })
    expect((await statusOf(bench)).state).toBe('IN')
    await resultOf(bench, 3)
    await resultOf(bench, 2)
    const { rows } = await test.database.owner.query(
      'update requisition_test rt set instrument_id = $1 from requisition r where r.id = rt.requisition_id and r.lab_id = $2 returning rt.id',
      [bench.instrumentId, bench.labId],
    )
    expect(rows).toHaveLength(2)
    expect((await statusOf(bench)).state).toBe('DUE')
  })
})

it('QC-08 a test of an instrument without a plan and without a run is due, as soon as the instrument has a code for it', async () => {
  const { instrumentId } = await openBench(1)
  const rows = async () => (await staff.get(`qc_status?filter=[instrumentId:${instrumentId}]`)).body.data
  expect(await rows()).toEqual([])
  await admin.put(`instruments/${instrumentId}/codes`, { codes: [{ instrumentCode: 'chol', testCode: 'CHOL' }] })
  expect(await rows()).toMatchObject([{ testCode: 'CHOL', state: 'DUE', lastGoodRunAt: null }])
})

it('QC-08 a test that is due or out of control is on Home', async () => {
  const queue = async () => {
    const { queues } = (await staff.get('home')).body.data as {
      queues: { code: string; count: number; call: string }[]
    }
    const found = queues.find(({ code }) => code === 'QC')
    expect((await staff.get(`${found?.call}`)).body.total).toBe(found?.count)
    return found?.count ?? 0
  }
  const before = await queue()
  const bench = await openBench(1)
  await run(bench, 5, ['100'])
  expect(await queue()).toBe(before + 1)
  const rules = [{ rule: '1-3s', action: 'REJECT' }]
  await admin.put('qc_plans', { instrumentId: bench.instrumentId, testCode: 'CHOL', rules, everyHours: 8 })
  expect(await queue()).toBe(before)
  await run(bench, 4, ['140'])
  expect(await queue()).toBe(before + 1)
})

describe('QC-02 a file', () => {
  const { csv, load, preview } = loadKit(test)
  /** Of the last bench that was opened. */
  const row = (more: object, index = serial) => ({
    instrument: `Analyser ${index}`,
    testCode: 'CHOL',
    ranAt: `${dayAgo(5)} 08:00`,
    operator: 's.tech',
    lot1: `L${index}-1`,
    value1: '100',
    lot2: `L${index}-2`,
    value2: '121',
    ...more,
  })
  it('enters a run a row, judged like every other, and skips one that was entered before', async () => {
    const bench = await openBench()
    const rows = [row({}), row({ ranAt: `${dayAgo(5)} 16:00`, value1: '122' })]
    expect((await preview('QC', csv(rows))).goodCount).toBe(2)
    expect((await load('QC', csv(rows))).row).toMatchObject({ successCount: 2, errorCount: 0 })
    const { data } = (await staff.get(`qc_runs?instrumentId=${bench.instrumentId}`)).body
    expect(data).toMatchObject([
      { state: 'REJECTED', operator: 's.tech', values: [{ value: '122' }, { value: '121' }] },
      { state: 'WARNING' },
    ])
    expect((await load('QC', csv(rows))).row).toMatchObject({ successCount: 0, skippedCount: 2 })
  })
  it('names the column of what is wrong', async () => {
    const bench = await openBench()
    const wrong = [
      { instrument: 'Nobody' },
      { testCode: 'NOPE' },
      { ranAt: 'yesterday' },
      { lot2: 'L0' },
      { value2: '<5' },
      { value1: '', value2: '', lot1: '', lot2: '' },
    ]
    const { errors } = await preview('QC', csv(wrong.map((more) => row(more))))
    expect(errors.map(({ columnName }) => columnName)).toEqual([
      'instrument',
      'testCode',
      'ranAt',
      'lot2',
      'value2',
      'value1',
    ])
    await admin.put(`qc_lots/${bench.lots[1]}`, { opened: null, expires: '2026-01-01' })
    expect((await preview('QC', csv([row({})]))).errors).toMatchObject([
      { columnName: 'lot2', message: expect.stringContaining('expired') },
    ])
  })
  it('has a template whose example can be loaded', async () => {
    const bench = await openBench()
    await run(bench, 3, ['100', '100'])
    const link = await staff.get('bulk_csv_uploader/templates/QC')
    const { pathname, search } = new URL(link.body.data.url, 'http://localhost')
    const file = (await test.inject({ method: 'GET', url: pathname + search })).body as string
    expect((await preview('QC', file)).errors).toEqual([])
  })
})

it('QC-10 statistics of a month: n, mean, SD, CV, bias, share of rejected runs, sigma', async () => {
  const bench = await openBench(1)
  await admin.put('qc_plans', {
    instrumentId: bench.instrumentId,
    testCode: 'CHOL',
    rules: [{ rule: '1-3s', action: 'REJECT' }],
    allowedErrorPct: '10',
  })
  const month = dayAgo(20).slice(0, 7)
  const hours = (now - Date.parse(`${month}-15T12:00:00Z`)) / hourMs
  for (const [index, value] of ['98', '104', '106', '132'].entries()) await run(bench, hours - index, [value])
  const query = `instrumentId=${bench.instrumentId}&testCode=CHOL&lotId=${bench.lots[0]}&from=${month}-01&to=${month}-28`
  const [row] = (await staff.get(`qc_statistics?${query}`)).body.data
  expect(row).toMatchObject({ lotId: bench.lots[0], level: 1, month, n: 4, rejectedShare: '0.250000' })
  expect([row.mean, row.bias, row.biasPct]).toEqual(['110.000000', '10.000000', '10.000000'])
  expect(Number(row.sd)).toBeCloseTo(15.0555, 3)
  expect(Number(row.cv)).toBeCloseTo(13.6868, 3)
  expect(Number(row.sigma)).toBeCloseTo(0, 4)
})

it('QC-10 a period is days of the laboratory, the last one included', async () => {
  const bench = await openBench(1)
  await test.database.owner.query("update lab set zone = 'America/Phoenix' where id = $1", [bench.labId])
  const [first, last] = [dayAgo(9), dayAgo(3)]
  const at = (instant: string) => (now - Date.parse(instant)) / hourMs
  for (const instant of [`${dayAgo(10)}T23:30-07:00`, `${first}T00:30-07:00`, `${last}T20:00-07:00`])
    await run(bench, at(instant), ['100'])
  const of = `instrumentId=${bench.instrumentId}&testCode=CHOL`
  const rows: { n: number }[] = (await staff.get(`qc_statistics?${of}&from=${first}&to=${last}`)).body.data
  expect(rows.reduce((sum, { n }) => sum + n, 0)).toBe(2)
  expect((await staff.get(`qc_runs?${of}&from=${first}&to=${last}`)).body.total).toBe(2)
  const until = new Date(Date.parse(`${last}T20:00-07:00`)).toISOString()
  expect((await staff.get(`qc_runs?${of}&from=${first}&to=${until}`)).body.total).toBe(1)
})

it('QC-11 a parallel lot is evaluated and shown but changes no control state until it takes over', async () => {
  const bench = await openBench(1)
  await run(bench, 24, ['100'])
  const { materialId } = (await staff.get('qc_lots')).body.data.find(({ id }: { id: number }) => id === bench.lots[0])
  const lotId = await addLot(materialId, 1, 'NEW', { isParallel: 1 })
  await setTarget({ lotId, instrumentId: bench.instrumentId })
  const parallel = (hours: number, value: string) => run({ ...bench, lots: [lotId] }, hours, [value])
  expect((await parallel(20, '140')).body.data).toMatchObject({ state: 'REJECTED', values: [{ isParallel: 1 }] })
  expect((await statusOf(bench)).state).not.toBe('OUT')
  expect((await staff.get(`qc_statistics?instrumentId=${bench.instrumentId}`)).body.data).toHaveLength(2)
  await admin.put(`qc_lots/${lotId}`, { isParallel: 0 })
  expect((await statusOf(bench)).state).not.toBe('OUT')
  await parallel(10, '140')
  expect((await statusOf(bench)).state).toBe('OUT')
})

describe('QC-13 the rules are evaluated again', () => {
  it('when a run is void, which needs a reason and keeps it visible', async () => {
    const bench = await openBench(1)
    const first = (await run(bench, 10, ['121'])).body.data
    const second = (await run(bench, 9, ['122'])).body
    expect(brokenRules(second)).toBe('1-2s 2-2s')
    expect((await staff.post(`qc_runs/${first.id}/void`, {})).status).toBe(400)
    expect((await staff.post(`qc_runs/${first.id}/void`, { reason: 'Wrong vial' })).body.data).toMatchObject({
      isVoid: 1,
      voidReason: 'Wrong vial',
    })
    expect(brokenRules((await staff.get(`qc_runs/${second.data.id}`)).body)).toBe('1-2s')
    expect((await statusOf(bench)).state).not.toBe('OUT')
    expect((await staff.get(`qc_runs?instrumentId=${bench.instrumentId}`)).body.total).toBe(2)
  })
  it('when a run is entered late', async () => {
    const bench = await openBench(1)
    const { id } = (await run(bench, 9, ['122'])).body.data
    await run(bench, 10, ['121'])
    expect(brokenRules((await staff.get(`qc_runs/${id}`)).body)).toBe('1-2s 2-2s')
    expect((await statusOf(bench)).state).toBe('OUT')
  })
  it('when a target has changed', async () => {
    const bench = await openBench(1)
    const { id } = (await run(bench, 9, ['122'])).body.data
    await setTarget({ lotId: bench.lots[0], instrumentId: bench.instrumentId, mean: '120', validFrom: ago(500) })
    expect((await staff.get(`qc_runs/${id}`)).body.data).toMatchObject({ state: 'IN', values: [{ z: '0.2000' }] })
  })
  it('when a corrective action is recorded later', async () => {
    const bench = await openBench(1)
    await run(bench, 10, ['140'])
    const { id } = (await run(bench, 8, ['121'])).body.data
    expect(brokenRules((await staff.get(`qc_runs/${id}`)).body)).toBe('1-2s 2-2s')
    await act(bench, 9)
    expect(brokenRules((await staff.get(`qc_runs/${id}`)).body)).toBe('1-2s')
    expect((await statusOf(bench)).state).not.toBe('OUT')
  })
})
