import { can } from '@lis/contract/access/permissions.ts'
import { roles } from '@lis/contract/access/roles.ts'
import { rangeBands } from '@lis/contract/collaborator-ranges.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Caller, openTestApp } from '../../../test/app.ts'
import { once } from '../../../test/once.ts'

const test = openTestApp()
let staff: Caller
let tests: Record<string, unknown>[]

beforeAll(async () => {
  staff = await test.as('STF')
  tests = (await staff.get('default_tests')).body.data
})

const testId = (index: number) => tests[index]?.testId as number
const owner = async () => (await test.given.collaborator()).id
const path = (id: number, rest = '') => `collaborators/${id}/test_ranges${rest}`
const aRange = (over: Record<string, unknown> = {}) => ({ testId: testId(0), colaSigDigits: 1, ...over })
const added = async (id: number, over: Record<string, unknown> = {}) =>
  (await staff.post(path(id), { colaRanges: [aRange(over)] })).body.data.id as number

describe('POST collaborators/{id}/test_ranges', () => {
  const whole = once(async () => {
    const id = await owner()
    const range = {
      testId: testId(0),
      colaSigDigits: '2',
      units: 'mg/dL',
      colaReportLo: '0.1',
      colaReportHi: 700.25,
      colaMNormalLo: null,
      colaMNormalHi: '199.999999999',
      colaMBorderLo: 200,
      colaMBorderHi: 239,
      colaMUnfavLo: 240,
      colaMUnfavHi: '',
      colaFNormalLo: -1.5,
      colaFNormalHi: 1,
      colaFBorderLo: 2,
      colaFBorderHi: 3,
      colaFUnfavLo: 4,
      colaFUnfavHi: 5,
    }
    const { status, body } = await staff.post(path(id), { colaRanges: [range] })
    expect([status, body.message]).toEqual([200, 'Successfully created'])
    const list = await staff.get(path(id))
    const expected = {
      ...range,
      id: body.data.id,
      testCode: tests[0]?.testCode,
      testDesc: tests[0]?.testDesc,
      colaSigDigits: 2,
      colaReportLo: 0.1,
      colaMNormalHi: 199.999999999,
      colaMUnfavHi: null,
      version: 1,
    }
    return { list: list.body, data: list.body.data[0], expected }
  })

  it('COL-92 COL-93 adds a range that can be read with every field, as exact numbers', async () => {
    const { list, expected } = await whole()
    expect(list).toEqual({ data: [expected], total: 1, message: '' })
  })

  it.each([
    ['COL-53', 'id'],
    ['COL-54', 'testId'],
    ['COL-55', 'testCode'],
    ['COL-56', 'testDesc'],
    ['COL-57', 'colaSigDigits'],
    ['COL-58', 'colaReportLo'],
    ['COL-59', 'colaReportHi'],
    ['COL-60', 'colaMNormalLo'],
    ['COL-61', 'colaMNormalHi'],
    ['COL-62', 'colaMBorderLo'],
    ['COL-63', 'colaMBorderHi'],
    ['COL-64', 'colaMUnfavLo'],
    ['COL-65', 'colaMUnfavHi'],
    ['COL-66', 'colaFNormalLo'],
    ['COL-67', 'colaFNormalHi'],
    ['COL-68', 'colaFBorderLo'],
    ['COL-69', 'colaFBorderHi'],
    ['COL-70', 'colaFUnfavLo'],
    ['COL-71', 'colaFUnfavHi'],
    ['COL-72', 'units'],
  ])('%s carries %s', async (_, field) => {
    const { data, expected } = await whole()
    expect(expected).toHaveProperty(field)
    expect(data[field]).toEqual(expected[field as keyof typeof expected])
  })

  it('COL-G8 takes one object without brackets, and several at once', async () => {
    const id = await owner()
    expect((await staff.post(path(id), { colaRanges: aRange() })).status).toBe(200)
    const { body } = await staff.post(path(id), {
      colaRanges: [aRange({ testId: testId(1) }), aRange({ testId: String(testId(2)) })],
    })
    expect(body.data.ids).toHaveLength(2)
    expect((await staff.get(path(id))).body.total).toBe(3)
  })

  it('COL-86 COL-87 takes what the form fills in from every default test', async () => {
    const id = await owner()
    const colaRanges = tests.map((row) => ({
      testId: row.testId,
      colaSigDigits: row.significantDigits,
      units: row.units,
      ...Object.fromEntries(
        rangeBands.flatMap(({ name }) =>
          ['Lo', 'Hi'].map((end) => {
            const source = `${name.slice(4, 5).toLowerCase()}${name.slice(5)}${end}`
            return [`${name}${end}`, row[source]]
          }),
        ),
      ),
    }))
    const { status, body } = await staff.post(path(id), { colaRanges })
    expect([status, body.data.ids.length]).toEqual([200, tests.length])
    const { data } = (await staff.get(path(id))).body
    expect(data[0].colaReportHi).toBe(tests[0]?.reportHi)
  })

  it.each([
    ['COL-85', { testId: '' }, 'testId', 'Test id is required'],
    ['COL-85', { testId: undefined }, 'testId', 'Test id is required'],
    ['an unknown', { testId: 999_999 }, 'testId', 'Test id is invalid'],
    ['COL-G10', { colaMNormalLo: 'abc' }, 'colaMNormalLo', 'Male Normal Lo must be a number'],
    ['COL-G10', { colaReportHi: '1e5' }, 'colaReportHi', 'Reportable Hi must be a number'],
    ['COL-G10', { colaReportHi: '1234567890123456' }, 'colaReportHi', 'Reportable Hi must be a number'],
    ['COL-G10', { colaFUnfavHi: { a: 1 } }, 'colaFUnfavHi', 'Female Unfavorable Hi must be a number'],
    ['COL-G10', { colaReportLo: 2, colaReportHi: 1 }, 'colaReportLo', 'Lo cannot be above Hi'],
    ['COL-G10', { colaMNormalHi: 10, colaMBorderLo: 9 }, 'colaMBorderLo', 'Ranges overlap'],
    ['COL-G10', { colaFNormalLo: 5, colaFUnfavHi: 7 }, 'colaFUnfavLo', 'Ranges overlap'],
    ['COL-G10', { colaSigDigits: 11 }, 'colaSigDigits', 'Sig Digits must be a whole number from 0 to 10'],
    ['COL-G10', { colaSigDigits: '1.5' }, 'colaSigDigits', 'Sig Digits must be a whole number from 0 to 10'],
    ['COL-G10', { colaSigDigits: 'x' }, 'colaSigDigits', 'Sig Digits must be a whole number from 0 to 10'],
  ])('%s refuses %j and names %s', async (_, over, field, message) => {
    const { status, body } = await staff.post(path(await owner()), { colaRanges: [aRange(over)] })
    expect([status, body.errors]).toEqual([400, [{ field: `colaRanges.0.${field}`, message }]])
  })

  it('allows bands of the two sexes, and the reportable range, to overlap', async () => {
    const over = { colaReportLo: 0, colaReportHi: 100, colaMNormalHi: 10, colaFNormalHi: 10, colaFBorderLo: 11 }
    expect((await staff.post(path(await owner()), { colaRanges: aRange(over) })).status).toBe(200)
  })

  it.each([[{}], [{ colaRanges: [] }], [{ colaRanges: null }]])(
    'COL-85 asks for a test when %j is sent',
    async (body) => {
      const reply = await staff.post(path(await owner()), body)
      expect([reply.status, reply.body.errors[0].message]).toEqual([400, 'Test id is required'])
    },
  )

  it('COL-G7 refuses a second range for a test, also within one call, and then adds none', async () => {
    const id = await owner()
    await added(id)
    const message = `${tests[0]?.testCode} already has a range for this collaborator`
    const again = await staff.post(path(id), { colaRanges: [aRange({ testId: testId(1) }), aRange()] })
    expect([again.status, again.body.message]).toEqual([409, message])
    const twice = await staff.post(path(await owner()), { colaRanges: [aRange(), aRange()] })
    expect([twice.status, twice.body.message]).toEqual([409, message])
    expect((await staff.get(path(id))).body.total).toBe(1)
    const racers = await Promise.all(
      [1, 2].map(() => staff.post(path(id), { colaRanges: aRange({ testId: testId(3) }) })),
    )
    expect(racers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  it('is 404 for a collaborator that does not exist', async () => {
    expect((await staff.post(path(999_999), { colaRanges: aRange() })).status).toBe(404)
  })
})

describe('PUT and DELETE test_ranges', () => {
  it('COL-G7 changes a range, with version and audit', async () => {
    const id = await owner()
    const rangeId = await added(id)
    const { body } = await staff.put(path(id, `/${rangeId}`), aRange({ units: 'g/L' }), { 'if-match': '1' })
    expect([body.message, body.data.units, body.data.version]).toEqual(['Successfully updated', 'g/L', 2])
    const late = await staff.put(path(id, `/${rangeId}`), aRange(), { 'if-match': '1' })
    expect([late.status, late.body.current.units]).toEqual([409, 'g/L'])
    const { rows } = await test.database.owner.query(
      "select action, old_data, new_data from audit_entry where entity = 'collaborator_test_range' and entity_id = $1 order by id",
      [rangeId],
    )
    expect(rows.map((row) => [row.action, row.new_data.units, row.new_data.collaboratorId])).toEqual([
      ['CREATE', null, id],
      ['UPDATE', 'g/L', id],
    ])
  })

  it('keeps the unit of existing results: another spelling is accepted, another unit is refused', async () => {
    const id = await owner()
    const { unit, id: chol } = (await test.database.owner.query("select id, unit from test where code = 'CHOL'"))
      .rows[0] as { id: number; unit: string }
    const client = await test.given.client({ collaborator_id: id })
    const requisition = await test.given.requisition({ client_id: client.id, collaborator_id: id })
    await test.given.store('requisition_test', {
      requisition_id: requisition.id,
      test_id: chol,
      result: '200',
      result_num: '200',
    })
    const refusal = (was: string, now: string, field: string) => [
      400,
      [{ field, message: `CHOL has results in ${was} for this collaborator, which would be read in ${now}` }],
    ]
    const first = await staff.post(path(id), { colaRanges: [aRange({ testId: chol, units: 'mmol/L' })] })
    expect([first.status, first.body.errors]).toEqual(refusal(unit, 'mmol/L', 'colaRanges.0.units'))
    const rangeId = await added(id, { testId: chol, units: unit.toUpperCase() })
    const later = await staff.put(path(id, `/${rangeId}`), aRange({ testId: chol, units: 'mmol/L' }))
    expect([later.status, later.body.errors]).toEqual(refusal(unit.toUpperCase(), 'mmol/L', 'units'))
    await test.database.owner.query("update collaborator_test_range set unit = 'mmol/L' where id = $1", [rangeId])
    const gone = await staff.del(path(id, `/${rangeId}`))
    expect([gone.status, gone.body.errors]).toEqual(refusal('mmol/L', unit, 'units'))
  })

  it('keeps the unit also while only a deleted requisition has results in it: it may be restored', async () => {
    const id = await owner()
    const client = await test.given.client({ collaborator_id: id })
    const requisition = await test.given.requisition({ client_id: client.id, collaborator_id: id, status_code: 'LOG' })
    const { id: ordered } = await test.given.orderedTest(requisition.id, 'CHOL', { result: '200', result_num: '200' })
    expect((await staff.del(`requisitions/${requisition.id}`)).status).toBe(200)
    const { test_id } = (
      await test.database.owner.query('select test_id from requisition_test where id = $1', [ordered])
    ).rows[0]
    const { status, body } = await staff.post(path(id), { colaRanges: [aRange({ testId: test_id, units: 'mmol/L' })] })
    expect([status, body.errors?.[0]?.field]).toEqual([400, 'colaRanges.0.units'])
    expect(body.errors[0].message).toMatch(/^CHOL has results in mg\/dL for this collaborator/)
  })

  describe('of a test without a number at present', () => {
    /** CHOL on a requisition of a collaborator of its own, kept in Processing by HDL. */
    const ordered = async () => {
      const id = await owner()
      const client = await test.given.client({ collaborator_id: id })
      const order = { client_id: client.id, collaborator_id: id, status_code: 'PROCESS' } as const
      const { id: reqId } = await test.given.requisition(order)
      const [chol] = [await test.given.orderedTest(reqId, 'CHOL'), await test.given.orderedTest(reqId, 'HDL')]
      const { rows } = await test.database.owner.query(
        "select r.id, x.test_id from reason r, requisition_test x where r.code = '916' and x.id = $1",
        [chol.id],
      )
      const tests = `requisitions/${reqId}/req_tests`
      const enter = async (result: string) => {
        const reqTests = [{ reqTestId: chol.id, result, isConfirmed: 1 }]
        expect((await staff.put(`${tests}/bulk_edit`, { reqTests })).status).toBe(200)
      }
      const act = async (path: string, body = {}) =>
        expect((await staff.put(`${tests}/${chol.id}/${path}`, body)).status).toBe(200)
      const fail = () => act('fail_codes', { failIds: [rows[0].id] })
      const toOtherUnit = async () => {
        const range = aRange({ testId: rows[0].test_id, units: 'mmol/L' })
        const { status, body } = await staff.post(path(id), { colaRanges: [range] })
        return [status, body.errors?.[0]?.field]
      }
      return { enter, act, fail, toOtherUnit }
    }
    const refused = [400, 'colaRanges.0.units']

    it('keeps the unit while a fail code has set the only result aside, since it may be removed', async () => {
      const { enter, fail, toOtherUnit } = await ordered()
      await enter('200')
      await fail()
      expect(await toOtherUnit()).toEqual(refused)
    })

    it('does not require a unit if only a text was set aside', async () => {
      const { enter, fail, toOtherUnit } = await ordered()
      await enter('N/A')
      await fail()
      expect(await toOtherUnit()).toEqual([200, undefined])
    })

    it('does not require a unit if a text has replaced a number', async () => {
      const { enter, act, fail, toOtherUnit } = await ordered()
      await enter('200')
      await act('modify')
      await enter('N/A')
      await fail()
      expect(await toOtherUnit()).toEqual([200, undefined])
    })

    it('does not require a unit where the results are text', async () => {
      const { enter, act, toOtherUnit } = await ordered()
      await enter('200')
      await act('modify')
      await enter('N/A')
      expect(await toOtherUnit()).toEqual([200, undefined])
    })
  })

  it('does not let a range move onto a test that has one, nor be reached through another collaborator', async () => {
    const [id, other] = [await owner(), await owner()]
    const [first, second] = [await added(id), await added(id, { testId: testId(1) })]
    expect((await staff.put(path(id, `/${second}`), aRange())).status).toBe(409)
    expect((await staff.put(path(other, `/${first}`), aRange())).status).toBe(404)
    expect((await staff.del(path(other, `/${first}`))).status).toBe(404)
    expect((await staff.del(path(other, `/bulk_delete?id=${first}`))).status).toBe(404)
    expect((await staff.get(path(other))).body.total).toBe(0)
  })

  it('COL-94 deletes ranges by their ids; the test can then get a new one', async () => {
    const id = await owner()
    const ids = [await added(id), await added(id, { testId: testId(1) }), await added(id, { testId: testId(2) })]
    expect((await staff.del(path(id, `/bulk_delete?id=${ids[0]},${ids[1]}`))).body.message).toBe('Successfully deleted')
    expect((await staff.del(path(id, `/${ids[2]}`))).body.message).toBe('Successfully deleted')
    expect((await staff.get(path(id))).body.total).toBe(0)
    expect((await staff.post(path(id), { colaRanges: aRange() })).status).toBe(200)
  })

  it.each(roles.filter((role) => !can(role, 'collaborators.write')))('refuses %s', async (role) => {
    const [who, id] = [await test.as(role), await owner()]
    const rangeId = await added(id)
    expect((await who.post(path(id), { colaRanges: aRange() })).status).toBe(403)
    expect((await who.put(path(id, `/${rangeId}`), aRange())).status).toBe(403)
    expect((await who.del(path(id, `/${rangeId}`))).status).toBe(403)
    expect((await who.del(path(id, `/bulk_delete?id=${rangeId}`))).status).toBe(403)
  })

  it.each(['filter=[nope:1]', 'sort=[nope,ASC]', 'filter=[testId:x]'])('answers %s with 400', async (query) => {
    expect((await staff.get(path(await owner(), `?${query}`))).status).toBe(400)
  })
})
