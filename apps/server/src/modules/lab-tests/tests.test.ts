import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { resultColumns } from '@lis/contract/results/result-keys.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()
let staff: Caller

beforeAll(async () => {
  staff = await test.as('STF')
})

const query = (text: string, values: unknown[] = []) => test.database.owner.query(text, values)
const statusOf = async (id: number) =>
  (await query('select status_code from requisition where id = $1', [id])).rows[0].status_code
const idOf = async (table: 'test' | 'panel' | 'reason', code: string): Promise<number> =>
  (await query(`select id from ${table} where code = $1 order by id limit 1`, [code])).rows[0].id
const failReason = async (code: string): Promise<number> =>
  (await query("select id from reason where code = $1 and type_code = 'FAIL'", [code])).rows[0].id

const given = async (codes: string[], status_code = 'PROCESS', over = {}) => {
  const { id } = await test.given.requisition({ status_code, ...over })
  const tests: Record<string, number> = {}
  for (const code of codes) tests[code] = (await test.given.orderedTest(id, code)).id
  return { id, tests }
}
interface Row {
  id: number
  testCode: string
  version: number
  [field: string]: unknown
}
const list = async (id: number, filter = '', caller = staff): Promise<Row[]> =>
  (await caller.get(`requisitions/${id}/req_tests${filter && `?filter=${encodeURIComponent(filter)}`}`)).body.data
const byCode = async (id: number, caller = staff): Promise<Record<string, Row>> =>
  Object.fromEntries((await list(id, '[isRetest:0]', caller)).map((row) => [row.testCode, row]))
const save = (id: number, reqTests: object[]) => staff.put(`requisitions/${id}/req_tests/bulk_edit`, { reqTests })
const act = (id: number, testId: number | undefined, action: string, body?: object, headers = {}) =>
  staff.put(`requisitions/${id}/req_tests/${testId}/${action}`, body, headers)

describe('GET requisitions/{id}/req_tests', () => {
  const withAllFields = once(async () => {
    const panel = await idOf('panel', 'LIPID')
    const { id } = await given([])
    await test.given.orderedTest(id, 'CHOL', { panel_id: panel })
    const { status, body } = await staff.get(`requisitions/${id}/req_tests`)
    expect([status, body.total]).toEqual([200, 1])
    const testId = await idOf('test', 'CHOL')
    const expected = {
      id: expect.any(Number),
      reqTestId: body.data[0].id,
      reqId: id,
      testId,
      testCode: 'CHOL',
      testDesc: 'Cholesterol, total',
      panelIds: [panel],
      testIds: [testId],
      panelCode: 'LIPID',
      units: 'mg/dL',
      processDate: null,
      labTz: 'America/New_York',
      resultKind: 'numeric',
      options: null,
      significantDigits: 0,
      ranges: [
        { band: 'normal', lo: null, hi: '199' },
        { band: 'borderline', lo: '200', hi: '239' },
        { band: 'unfavorable', lo: '240', hi: null },
      ],
      isCalculated: 0,
      isRetest: 0,
      isModifiable: 0,
      isResulted: 0,
      isEditable: 1,
      testFailCodes: [],
      testPassCodes: [],
      version: 1,
      result: null,
      reportableResult: null,
      interpretation: null,
      band: null,
      comment: null,
      reagent: null,
      previous: null,
      isReflex: 0,
      reflexRuleId: null,
      instrumentResultId: null,
    }
    return { id, testId, data: body.data[0], expected }
  })

  it('TEST-63 TEST-69 lists every ordered test, a hundred per page', async () => {
    const { id, testId, data, expected } = await withAllFields()
    expect(data).toEqual(expected)
    // More than a page is a second page.
    await query(
      `insert into requisition_test (requisition_id, test_id, is_retest) select $1, $2, true from generate_series(1, 120)`,
      [id, testId],
    )
    const page = (await staff.get(`requisitions/${id}/req_tests`)).body
    expect([page.data.length, page.total]).toEqual([100, 121])
  })

  it.each([
    ['TEST-07', 'testCode'],
    ['TEST-08', 'testDesc'],
    ['TEST-09', 'processDate'],
    ['TEST-10', 'result'],
    ['TEST-11', 'reportableResult'],
    ['TEST-12', 'interpretation'],
    ['TEST-13', 'significantDigits'],
    ['TEST-14', 'isCalculated'],
    ['TEST-15', 'isRetest'],
    ['TEST-16', 'isModifiable'],
    ['TEST-17', 'testFailCodes'],
    ['TEST-18', 'testPassCodes'],
    ['TEST-19', 'panelIds'],
    ['TEST-20', 'testIds'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await withAllFields()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('TEST-64..TEST-68 filters by codes, combo, retest, missing result and calculation', async () => {
    const { id, tests } = await given(['CHOL', 'HDL', 'LDL', 'A1C', 'HSCRP'])
    const codes = async (filter: string) => (await list(id, filter)).map(({ testCode }) => testCode).sort()
    await save(id, [{ reqTestId: tests.CHOL, result: '200' }])
    await act(id, tests.A1C, 'fail_codes', { failIds: [await failReason('901')] })
    await act(id, tests.CHOL, 'retest')
    expect(await codes('{testCodes:[CHOL,HDL]}')).toEqual(['CHOL', 'CHOL', 'HDL'])
    expect(await codes('{"testCodes":"HDL,A1C"}')).toEqual(['A1C', 'HDL'])
    expect(await codes('[testComboCode:LIPID]')).toEqual(['CHOL', 'CHOL', 'HDL', 'LDL'])
    expect(await codes('[isRetest:0]')).toEqual(['A1C', 'CHOL', 'HDL', 'HSCRP', 'LDL'])
    expect(await codes('[isRetest:1]')).toEqual(['CHOL'])
    expect(await codes('[isNonResultedOnly:1,isRetest:0]')).toEqual(['CHOL', 'HDL', 'HSCRP', 'LDL'])
    expect(await codes('[isNonResultedOnly:0,isRetest:0]')).toHaveLength(5)
    expect(await codes('[isCalculated:1]')).toEqual(['LDL'])
    expect(await codes('[isCalculated:0,isRetest:0]')).not.toContain('LDL')
    expect((await staff.get(`requisitions/${id}/req_tests?filter=[isRetest:2]`)).body.errors[0].message).toBe(
      'isRetest must be 0 or 1',
    )
    expect((await staff.get(`requisitions/${id}/req_tests?filter=[color:2]`)).status).toBe(400)
  })

  it('TEST-60..TEST-62 gives clients and sales no result, in no field; collaborators get all', async () => {
    const sales = await test.given.salesPerson()
    const client = await test.given.client()
    await test.given.clientSales(client.id, sales.id)
    const { id, tests } = await given(['CHOL', 'HDL'], 'PROCESS', { client_id: client.id })
    await save(id, [{ reqTestId: tests.CHOL, result: '243.7' }])
    const owner = await query('select collaborator_id from client where id = $1', [client.id])
    for (const caller of [await test.as('CLNT', client.id), await test.as('SLS', sales.id)]) {
      const reply = await caller.get(`requisitions/${id}/req_tests`)
      expect(reply.status).toBe(200)
      const chol = reply.body.data.find((row: Row) => row.testCode === 'CHOL')
      expect(chol).toMatchObject({ isResulted: 1, isEditable: 0 })
      for (const hidden of ['result', 'reportableResult', 'interpretation', 'band', 'previous', 'comment'])
        expect(chol).not.toHaveProperty(hidden)
      expect(JSON.stringify(reply.body)).not.toMatch(/243\.7|"244"|Unfavorable/)
      expect((await caller.get(`requisitions/${id}/req_resulted_tests`)).status).toBe(403)
      expect((await caller.get(`requisitions/${id}/req_tests/export`)).status).toBe(403)
    }
    const cola = await test.as('COLA', owner.rows[0].collaborator_id)
    expect((await byCode(id, cola)).CHOL).toMatchObject({
      result: '243.7',
      reportableResult: '244',
      interpretation: 'Unfavorable',
      isEditable: 0,
    })
  })

  it('TEST-06 is changed by super admins only, and read within the row scope', async () => {
    const { id, tests } = await given(['CHOL'])
    const calls: [method: 'get' | 'put' | 'post' | 'del', path: string, body?: object][] = [
      ['post', 'req_tests', { testIds: [1] }],
      ['del', `req_tests/bulk_delete?id=${tests.CHOL}`],
      ['del', `req_tests/${tests.CHOL}`],
      ['put', 'req_tests/bulk_edit', { reqTests: [{ reqTestId: tests.CHOL, result: '1' }] }],
      ['put', `req_tests/${tests.CHOL}/modify`],
      ['put', `req_tests/${tests.CHOL}/cancel_mod`],
      ['put', `req_tests/${tests.CHOL}/retest`],
      ['put', `req_tests/${tests.CHOL}/fail_codes`, { failIds: [] }],
      ['put', `req_tests/${tests.CHOL}/pass_codes`, { passIds: [] }],
      ['get', 'panels'],
      ['get', 'single_tests'],
    ]
    for (const role of roles.filter((one) => !can(one, 'tests.edit') && one !== 'GST')) {
      const caller = await test.as(role)
      for (const [method, path, body] of calls)
        expect([role, path, (await caller[method](`requisitions/${id}/${path}`, body as never)).status]).toEqual([
          role,
          path,
          403,
        ])
    }
    // A requisition outside the scope is not found.
    for (const role of ['CLNT', 'COLA', 'SLS'] as const)
      expect((await (await test.as(role)).get(`requisitions/${id}/req_tests`)).status).toBe(404)
    expect((await (await test.as('COLA')).get(`requisitions/${id}/req_resulted_tests`)).status).toBe(404)
    expect((await (await test.as('COLA')).get(`requisitions/${id}/req_tests/export`)).status).toBe(404)
    for (const role of ['PHYS', 'BILL'] as const)
      expect((await (await test.as(role)).get(`requisitions/${id}/req_tests`)).status).toBe(403)
    for (const role of ['ADM', 'MGMT'] as const)
      expect((await (await test.as(role)).get(`requisitions/${id}/panels`)).status).toBe(200)
    expect((await test.nobody.get(`requisitions/${id}/req_tests`)).status).toBe(401)
    expect((await staff.get('requisitions/5/req_tests')).status).toBe(404)
  })
})

describe('ordering tests', () => {
  it('TEST-70 TEST-87 TEST-88 adds panels and single tests once each, with the panel they came from', async () => {
    const { id } = await given(['HDL'], 'LOG')
    const panels = (await staff.get(`requisitions/${id}/panels`)).body.data
    const apo = panels.find((panel: { panelCode: string }) => panel.panelCode === 'APO')
    expect(apo).toMatchObject({
      panelDesc: 'Apolipoprotein panel',
      testCodes: ['APOA1', 'APOB', 'APOBA1'],
      isOrdered: 0,
    })
    const singles = (await staff.get(`requisitions/${id}/single_tests`)).body.data
    const find = (code: string) => singles.find((one: { testCode: string }) => one.testCode === code)
    expect([find('HDL').isOrdered, find('CHOL').isOrdered, find('LDL').isCalculated]).toEqual([1, 0, 1])
    const added = await staff.post(`requisitions/${id}/req_tests`, {
      panelIds: [apo.panelId],
      testIds: [find('HDL').testId, find('CHOL').testId, find('APOB').testId],
    })
    expect([added.status, added.body.message, added.body.data.ids.length]).toEqual([200, 'Successfully created', 4])
    const rows = await byCode(id)
    expect(Object.keys(rows).sort()).toEqual(['APOA1', 'APOB', 'APOBA1', 'CHOL', 'HDL'])
    expect([rows.APOA1?.panelIds, rows.APOB?.panelIds]).toEqual([[apo.panelId], []])
    const again = await staff.post(`requisitions/${id}/req_tests`, { panelIds: [apo.panelId] })
    expect([again.status, again.body.message]).toEqual([409, 'These tests are ordered already'])
    expect(
      (await staff.get(`requisitions/${id}/panels`)).body.data.find((one: Row) => one.id === apo.id).isOrdered,
    ).toBe(1)
    const { rows: audit } = await query(
      "select new_data from audit_entry where requisition_id = $1 and action = 'TEST'",
      [id],
    )
    expect(audit.map(({ new_data }) => new_data)).toEqual([{ added: 'CHOL, APOA1, APOB, APOBA1' }])
  })

  it('TEST-59 requires at least one, and refuses what is not in the catalogue', async () => {
    const { id } = await given([], 'LOG')
    const add = async (body: object) => (await staff.post(`requisitions/${id}/req_tests`, body)).body.errors[0]
    expect(await add({})).toEqual({ field: 'testIds', message: 'Check any test' })
    expect(await add({ panelIds: [], testIds: [] })).toEqual({ field: 'testIds', message: 'Check any test' })
    expect(await add({ panelIds: [99_999] })).toEqual({ field: 'panelIds', message: 'Panels is invalid' })
    expect(await add({ testIds: [99_999] })).toEqual({ field: 'testIds', message: 'Tests is invalid' })
    expect((await add({ testIds: ['x'] })).field).toBe('testIds.0')
  })

  it('TEST-47 changes tests in LOG, ACC and PROCESS only', async () => {
    const testId = await idOf('test', 'A1C')
    for (const status of ['LOG', 'ACC', 'PROCESS']) {
      const { id } = await given(['CHOL'], status)
      expect((await staff.post(`requisitions/${id}/req_tests`, { testIds: [testId] })).status).toBe(200)
    }
    for (const [status, name] of [
      ['RESULT', 'Resulted'],
      ['RELEASE', 'Released'],
      ['BILL', 'Billed'],
    ]) {
      const { id, tests } = await given(['CHOL'], status)
      const reply = await staff.post(`requisitions/${id}/req_tests`, { testIds: [testId] })
      expect([reply.status, reply.body.message]).toEqual([
        409,
        `Requisition #${id} is ${name}: its tests can no longer be changed`,
      ])
      expect((await staff.del(`requisitions/${id}/req_tests/bulk_delete?id=${tests.CHOL}`)).status).toBe(409)
      expect((await act(id, tests.CHOL, 'fail_codes', { failIds: [] })).status).toBe(409)
    }
  })

  it('TEST-71 removes several at once, never one with a result, and moves the requisition on when the last open one is removed', async () => {
    const { id, tests } = await given(['CHOL', 'HDL', 'TRIG', 'A1C', 'NONHDL'])
    await save(id, [
      { reqTestId: tests.CHOL, result: '200' },
      { reqTestId: tests.HDL, result: '50' },
    ])
    const remove = (...codes: string[]) =>
      staff.del(`requisitions/${id}/req_tests/bulk_delete?id=${codes.map((code) => tests[code]).join(',')}`)
    const refused = await remove('TRIG', 'CHOL', 'HDL')
    expect([refused.status, refused.body.message]).toEqual([409, 'CHOL, HDL: a test with a result cannot be removed'])
    expect(Object.keys(await byCode(id))).toHaveLength(5)
    const gone = await remove('TRIG')
    expect([gone.status, gone.body.message]).toEqual([200, 'Successfully deleted'])
    expect(await statusOf(id)).toBe('PROCESS')
    expect((await staff.del(`requisitions/${id}/req_tests/${tests.A1C}`)).status).toBe(200)
    expect(await statusOf(id)).toBe('RESULT')
    const { rows } = await query('select deleted_at from requisition_test where id = $1', [tests.TRIG])
    expect(rows[0].deleted_at).not.toBeNull()
    const alone = await given(['CHOL', 'HDL'])
    await staff.del(`requisitions/${alone.id}/req_tests/bulk_delete?id=${alone.tests.CHOL},${alone.tests.HDL}`)
    expect(Object.keys(await byCode(alone.id))).toEqual([])
    expect(await statusOf(alone.id)).toBe('PROCESS')
    expect((await staff.del(`requisitions/${alone.id}/req_tests/bulk_delete?id=${tests.CHOL}`)).status).toBe(404)
    expect((await staff.del(`requisitions/${alone.id}/req_tests/bulk_delete?id=x`)).body.errors[0].field).toBe('id')
  })
})

describe('modify and retest', () => {
  it('TEST-16 TEST-46 TEST-72 TEST-73 TEST-74 TEST-75 opens a result for correction and stores the replaced one', async () => {
    const { id, tests } = await given(['CHOL', 'HDL', 'NONHDL'])
    await save(id, [{ reqTestId: tests.CHOL, result: '200' }])
    const opened = await act(id, tests.CHOL, 'modify')
    expect([opened.status, opened.body.message]).toEqual([200, 'Successfully modified'])
    expect((await byCode(id)).CHOL).toMatchObject({ isModifiable: 1, isEditable: 1, result: '200' })
    // An open modification holds the requisition in Processing.
    await save(id, [{ reqTestId: tests.HDL, result: '50' }])
    expect(await statusOf(id)).toBe('PROCESS')
    expect((await byCode(id)).NONHDL).toMatchObject({ result: '150' })
    const saved = await save(id, [{ reqTestId: tests.CHOL, result: '220' }])
    expect(saved.body.data.reqStatusCode).toBe('RESULT')
    expect((await byCode(id)).CHOL).toMatchObject({ isModifiable: 0, result: '220' })
    expect((await byCode(id)).NONHDL).toMatchObject({ result: '170' })
    const { rows } = await query(
      'select result, reportable_result, interpretation, replaced_by, reason from requisition_test_revision where requisition_test_id = any($1) order by id',
      [[tests.CHOL, tests.NONHDL]],
    )
    expect(rows).toEqual([
      {
        result: '200',
        reportable_result: '200',
        interpretation: 'Borderline',
        replaced_by: staff.userId,
        reason: 'Modified',
      },
      {
        result: '150',
        reportable_result: '150',
        interpretation: 'Borderline',
        replaced_by: staff.userId,
        reason: 'Calculated again',
      },
    ])
    const late = await act(id, tests.CHOL, 'modify')
    expect([late.status, late.body.message]).toEqual([
      409,
      `Requisition #${id} is Resulted: a test is modified or retested only in Processing`,
    ])
  })

  it('TEST-73 cancelling restores the former result, and the requisition moves on', async () => {
    const { id, tests } = await given(['CHOL', 'HDL'])
    await save(id, [{ reqTestId: tests.CHOL, result: '200' }])
    await act(id, tests.CHOL, 'modify')
    await save(id, [{ reqTestId: tests.HDL, result: '50' }])
    const canceled = await act(id, tests.CHOL, 'cancel_mod')
    expect([canceled.status, canceled.body.message]).toEqual([200, 'Modify is canceled'])
    expect((await byCode(id)).CHOL).toMatchObject({ isModifiable: 0, result: '200' })
    expect(await statusOf(id)).toBe('RESULT')
  })

  it('refuses to modify what has no result or is calculated', async () => {
    const { id, tests } = await given(['CHOL', 'NONHDL'])
    expect((await act(id, tests.CHOL, 'modify')).body.message).toBe('CHOL has no result yet')
    expect((await act(id, tests.NONHDL, 'retest')).body.message).toBe('NONHDL is calculated from other tests')
    expect((await act(id, 999_999_999, 'modify')).status).toBe(404)
    const elsewhere = await given(['CHOL'])
    expect((await act(elsewhere.id, tests.CHOL, 'retest')).status).toBe(404)
  })

  it('TEST-15 a retest keeps the old row as history and adds a new one; results calculated from it are cleared', async () => {
    const { id, tests } = await given(['CHOL', 'HDL', 'NONHDL', 'A1C'])
    await save(id, [
      { reqTestId: tests.CHOL, result: '200' },
      { reqTestId: tests.HDL, result: '50' },
    ])
    const { status, body } = await act(id, tests.CHOL, 'retest')
    expect([status, body.message]).toEqual([200, 'Successfully saved'])
    const rows = await list(id, '[testCodes:CHOL]')
    expect(rows.map(({ id: rowId, isRetest, result, isEditable }) => [rowId, isRetest, result, isEditable])).toEqual([
      [body.data.id, 0, null, 1],
      [tests.CHOL, 1, '200', 0],
    ])
    expect((await byCode(id)).NONHDL).toMatchObject({ result: null })
    expect((await save(id, [{ reqTestId: tests.CHOL, result: '210' }])).status).toBe(400)
    await save(id, [{ reqTestId: body.data.id, result: '210' }])
    expect((await byCode(id)).NONHDL).toMatchObject({ result: '160' })
    expect((await staff.del(`requisitions/${id}/req_tests/${tests.CHOL}`)).status).toBe(404)
  })
})

describe('codes of a test', () => {
  it('TEST-17 TEST-81 TEST-85 a fail code finishes a test without a result; when it is removed, the result returns', async () => {
    const { id, tests } = await given(['CHOL', 'HDL', 'NONHDL', 'A1C'])
    await save(id, [
      { reqTestId: tests.CHOL, result: '200' },
      { reqTestId: tests.HDL, result: '50' },
    ])
    const failIds = [await failReason('902')]
    const { version } = (await byCode(id)).HDL as Row
    const failed = await act(id, tests.HDL, 'fail_codes', { failIds }, { 'if-match': `"${version}"` })
    expect([failed.status, failed.body.message]).toEqual([200, 'Fail Codes successfully updated'])
    let rows = await byCode(id)
    expect(rows.HDL).toMatchObject({
      result: null,
      isEditable: 0,
      testFailCodes: [{ reasonId: failIds[0], failCode: '902', failDesc: 'Hemolyzed specimen' }],
      version: failed.body.data.version,
    })
    expect(rows.NONHDL).toMatchObject({ result: null, reportableResult: null })
    expect((await save(id, [{ reqTestId: tests.HDL, result: '51' }])).body.message).toBe(
      'HDL has the fail code 902 already. Modify or retest it first',
    )
    await act(id, tests.HDL, 'fail_codes', { failIds: [] })
    rows = await byCode(id)
    expect([rows.HDL?.result, rows.NONHDL?.result, rows.HDL?.testFailCodes]).toEqual(['50', '150', []])
    // The last open one failed: all is done.
    await act(id, tests.A1C, 'fail_codes', { failIds })
    expect(await statusOf(id)).toBe('RESULT')
  })

  it('a failed test can be modified: a saved result replaces the code', async () => {
    const { id, tests } = await given(['CHOL', 'HDL'])
    await act(id, tests.CHOL, 'fail_codes', { failIds: [await failReason('901')] })
    await act(id, tests.CHOL, 'modify')
    expect((await save(id, [{ reqTestId: tests.CHOL, result: '200' }])).status).toBe(200)
    expect((await byCode(id)).CHOL).toMatchObject({ result: '200', testFailCodes: [] })
    // The history records the removal of the code.
    const { rows } = await test.database.owner.query(
      "select old_data, new_data from audit_entry where requisition_id = $1 and old_data ->> 'CHOL failCodes' = '901'",
      [id],
    )
    expect(rows).toEqual([{ old_data: { 'CHOL failCodes': '901' }, new_data: { 'CHOL failCodes': '' } }])
  })

  it('TEST-18 TEST-82 TEST-84 pass codes are stored beside the result', async () => {
    const { id, tests } = await given(['CHOL', 'HDL'])
    const passIds = [await idOf('reason', '110'), await idOf('reason', '102')]
    const { status, body } = await act(id, tests.CHOL, 'pass_codes', { passIds })
    expect([status, body.message]).toEqual([200, 'Pass Codes successfully updated'])
    expect((await byCode(id)).CHOL).toMatchObject({ testPassCodes: [{ passCode: '102' }, { passCode: '110' }] })
    const { rows } = await query(
      "select old_data, new_data from audit_entry where requisition_id = $1 and action = 'TEST'",
      [id],
    )
    expect(rows).toEqual([{ old_data: { 'CHOL passCodes': '' }, new_data: { 'CHOL passCodes': '102, 110' } }])
  })

  it('refuses codes of another type or for requisitions only, and an outdated version', async () => {
    const { id, tests } = await given(['CHOL'])
    const refuse = async (action: string, body: object) => (await act(id, tests.CHOL, action, body)).body.errors[0]
    expect(await refuse('fail_codes', { failIds: [await idOf('reason', '101')] })).toEqual({
      field: 'failIds',
      message: 'Fail Codes is invalid',
    })
    expect(await refuse('pass_codes', { passIds: [await idOf('reason', '106')] })).toEqual({
      field: 'passIds',
      message: 'Pass Codes is invalid',
    })
    expect((await refuse('fail_codes', {})).field).toBe('failIds')
    expect((await act(id, tests.CHOL, 'pass_codes', { passIds: [] }, { 'if-match': '"7"' })).status).toBe(409)
  })
})

describe('resulted tests', () => {
  const keys = Object.keys(resultColumns)

  const wide = once(async () => {
    const { id, tests } = await given(['CHOL', 'HDL', 'LDL', 'IGG', 'PULSSC', 'PULS', 'TRIG'])
    await save(id, [
      { reqTestId: tests.CHOL, result: '199.5' },
      { reqTestId: tests.HDL, result: '3', isConfirmed: 1 },
      { reqTestId: tests.IGG, result: 'POS' },
      { reqTestId: tests.PULSSC, result: '7.495' },
    ])
    await query("update requisition_test set reagent = 'LOT 24-1' where id = $1", [tests.IGG])
    await query("update requisition_test set process_date = process_date - interval '3 days' where id = $1", [
      tests.CHOL,
    ])
    const { status, body } = await staff.get(`requisitions/${id}/req_resulted_tests`)
    expect([status, body.total]).toEqual([200, 2])
    return body.data
  })

  it('TEST-86 lists one wide row per process date', async () => {
    const data = await wide()
    expect(Object.keys(data[0]).sort()).toEqual(['id', 'processDate', 'labTz', ...keys].sort())
    expect(data[0]).toMatchObject({ totalChol: '200', hdl: null, ldl: null })
    expect(data[1]).toMatchObject({
      totalChol: null,
      hdl: '<5',
      igG: 'Positive',
      igGReagent: 'LOT 24-1',
      pulsScore: '7.50',
      puls: 'High risk',
    })
  })

  it.each([
    ['TEST-21', 'hdl'],
    ['TEST-22', 'ldl'],
    ['TEST-23', 'trig'],
    ['TEST-24', 'sdLdlC'],
    ['TEST-25', 'vLdlC'],
    ['TEST-26', 'cholHdl'],
    ['TEST-27', 'nonHdlC'],
    ['TEST-28', 'totalChol'],
    ['TEST-29', 'apoA1'],
    ['TEST-30', 'apoB'],
    ['TEST-31', 'apoBApoA1'],
    ['TEST-32', 'lp'],
    ['TEST-33', 'hsCrp'],
    ['TEST-34', 'hba1c'],
    ['TEST-35', 'igG'],
    ['TEST-36', 'igM'],
    ['TEST-37', 'igGReagent igMReagent'],
    ['TEST-38', 'covidAg'],
    ['TEST-39', 'IgGII'],
    ['TEST-40', 'elpBlpScore'],
    ['TEST-41', 'epbBlpCategory'],
    ['TEST-42', 'puls'],
    ['TEST-43', 'pulsScore'],
    ['TEST-44', 'dp'],
    ['TEST-45', 'dpInterpretation'],
  ])('%s has the column %s', async (_, columns) => {
    const data = await wide()
    for (const column of columns.split(' ')) expect(data[0]).toHaveProperty(column)
  })

  it('TEST-05 TEST-76 exports the same as a file, with a message if it is empty', async () => {
    const { id, tests } = await given(['CHOL', 'HDL'])
    const empty = await staff.get(`requisitions/${id}/req_tests/export`)
    expect(empty.body).toMatchObject({ retval: 'EMPTY', message: 'No matching records found for export' })
    await save(id, [{ reqTestId: tests.CHOL, result: '199.5' }])
    const { body } = await staff.get(`requisitions/${id}/req_tests/export?format=csv`)
    expect([body.retval, body.data.url]).toEqual(['SUCCESS', body.data.exportUrl])
    const file = await test.inject({
      method: 'GET',
      url: new URL(body.data.url, 'http://x').pathname + new URL(body.data.url, 'http://x').search,
    })
    const [header, row] = String(file.body).trim().split('\n')
    expect(header).toContain('Process Date,HDL,LDL,TRIG')
    expect(row).toMatch(/^\d\d\/\d\d\/\d\d \d\d:\d\d E[SD]T,/)
    expect(row?.split(',')[1 + keys.indexOf('totalChol')]).toBe('200')
    expect((await staff.get(`requisitions/${id}/req_tests/export`)).body.data.url).toContain('.xlsx')
  })
})
