import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { loadKit } from '../../../test/csv-loads.ts'

const test = openTestApp()
const { csv, load, preview, somebody } = loadKit(test)

const inProcess = async (codes: readonly string[]) => {
  const { id } = await test.given.requisition({ status_code: 'PROCESS' })
  for (const code of codes) await test.given.orderedTest(id, code)
  return id
}
const resultsOf = async (id: number) =>
  Object.fromEntries(
    (
      await sql<{
        code: string
        result: string | null
      }>`select t.code, x.result from requisition_test x join test t on t.id = x.test_id
        where x.requisition_id = ${id} order by t.code`.execute(test.database.db)
    ).rows.map(({ code, result }) => [code, result]),
  )
const statusOf = async (id: number) =>
  (
    await test.database.db
      .selectFrom('requisition')
      .select('status_code')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).status_code
const row = (reqId: number, testCode: string, result: string, over: Record<string, unknown> = {}) => ({
  reqId,
  testCode,
  result,
  processDate: '11/03/2026 14:05',
  isConfirmed: '',
  ...over,
})

describe('a load of results', () => {
  it('saves by the result engine: calculated tests, interpretation, and the move when all are there', async () => {
    const id = await inProcess(['CHOL', 'HDL', 'TRIG', 'LDL'])
    const file = csv([row(id, 'CHOL', '200'), row(id, 'HDL', '50'), row(id, 'TRIG', '150')])
    const { row: loaded, errors } = await load('RESULT', file)
    expect([errors, loaded.message]).toEqual([[], '3 of 3 rows loaded, 0 failed'])
    expect(await resultsOf(id)).toEqual({ CHOL: '200', HDL: '50', TRIG: '150', LDL: '120' })
    expect(await statusOf(id)).toBe('RESULT')
    const { rows } = await sql<{
      process_date: string
    }>`select process_date from requisition_test where requisition_id = ${id} and result = '200'`.execute(
      test.database.db,
    )
    // In the laboratory's zone: 14:05 in New York, winter time.
    expect(rows[0]?.process_date).toBe('2026-11-03T19:05:00Z')
    expect((await load('RESULT', file)).row).toMatchObject({ successCount: 0, skippedCount: 3, errorCount: 0 })
  })

  describe('that is processed again', () => {
    const before = { successCount: 0, skippedCount: 1, errorCount: 0 }
    const testsPath = (id: number) => `requisitions/${id}/req_tests`
    /** HDL of Monday's file, on a requisition that another open test keeps in Processing. */
    const loadedOnce = async (over: Record<string, unknown> = {}) => {
      const id = await inProcess(['CHOL', 'HDL'])
      const file = csv([row(id, 'HDL', '52.4', over)])
      expect((await load('RESULT', file)).row).toMatchObject({ successCount: 1 })
      const staff = await somebody()
      const hdl = async () =>
        (await staff.get(testsPath(id))).body.data.find(
          (one: { testCode: string; isRetest: 0 | 1 }) => one.testCode === 'HDL' && one.isRetest === 0,
        )
      return { id, file, staff, hdl }
    }

    const failCode = async () => {
      const { rows } = await sql<{ id: number }>`
        select id from reason where type_code = 'FAIL' and scope in ('TEST', 'BOTH') and is_active limit 1`.execute(
        test.database.db,
      )
      return rows[0]?.id
    }

    it('leaves an open modification open, and what was modified as it is', async () => {
      const { id, file, staff, hdl } = await loadedOnce()
      const path = `${testsPath(id)}/${(await hdl()).id}`
      await staff.put(`${path}/modify`, {})
      expect((await load('RESULT', file)).row).toMatchObject(before)
      expect(await hdl()).toMatchObject({ result: '52.4', isModifiable: 1 })
      // Another value, with a process date of its own.
      const better = csv([row(id, 'HDL', '53', { processDate: '11/04/2026 09:00' })])
      expect((await load('RESULT', better)).row).toMatchObject({ successCount: 1 })
      expect((await load('RESULT', file)).row).toMatchObject(before)
      await staff.put(`${path}/modify`, {})
      expect((await load('RESULT', file)).row).toMatchObject(before)
      expect(await hdl()).toMatchObject({ result: '53', isModifiable: 1 })
    })

    it('leaves a retest open, also the second one; the new measurement of the same value is taken', async () => {
      const { id, file, staff, hdl } = await loadedOnce()
      await staff.put(`${testsPath(id)}/${(await hdl()).id}/retest`, {})
      expect((await load('RESULT', file)).row).toMatchObject(before)
      expect(await hdl()).toMatchObject({ result: null })
      const measured = csv([row(id, 'HDL', '52.4', { processDate: '11/04/2026 09:00' })])
      expect((await load('RESULT', measured)).row).toMatchObject({ successCount: 1 })
      await staff.put(`${testsPath(id)}/${(await hdl()).id}/retest`, {})
      for (const again of [file, measured]) expect((await load('RESULT', again)).row).toMatchObject(before)
      expect(await hdl()).toMatchObject({ result: null })
    })

    it('leaves a failed test failed, also when it is opened for modification', async () => {
      const { id, file, staff, hdl } = await loadedOnce()
      const failId = await failCode()
      const path = `${testsPath(id)}/${(await hdl()).id}`
      await staff.put(`${path}/fail_codes`, { failIds: [failId] })
      expect((await load('RESULT', file)).row).toMatchObject(before)
      await staff.put(`${path}/modify`, {})
      expect((await load('RESULT', file)).row).toMatchObject(before)
      expect(await hdl()).toMatchObject({ result: null, testFailCodes: [{ reasonId: failId }] })
    })

    it('leaves a test open that failed, was deleted and is ordered again for another tube', async () => {
      const { id, file, staff, hdl } = await loadedOnce()
      const { id: failed, testId } = await hdl()
      await staff.put(`${testsPath(id)}/${failed}/fail_codes`, { failIds: [await failCode()] })
      expect((await staff.del(`${testsPath(id)}/${failed}`)).status).toBe(200)
      expect((await staff.post(testsPath(id), { panelIds: [], testIds: [testId] })).status).toBe(200)
      expect((await load('RESULT', file)).row).toMatchObject(before)
      expect(await hdl()).toMatchObject({ result: null })
      const measured = csv([row(id, 'HDL', '52.4', { processDate: '11/04/2026 09:00' })])
      expect((await load('RESULT', measured)).row).toMatchObject({ successCount: 1 })
    })

    it('recognizes a row that a spreadsheet has reformatted', async () => {
      const { id, staff, hdl } = await loadedOnce({ result: '52.40', processDate: '11/03/2026 09:05' })
      await staff.put(`${testsPath(id)}/${(await hdl()).id}/retest`, {})
      const rewritten = csv([row(id, 'HDL', '52.4', { processDate: '11/3/2026 9:05' })])
      expect((await load('RESULT', rewritten)).row).toMatchObject(before)
      expect(await hdl()).toMatchObject({ result: null })
      // Another number is another row.
      const other = csv([row(id, 'HDL', '52.5', { processDate: '11/3/2026 9:05', isConfirmed: '1' })])
      expect((await load('RESULT', other)).row).toMatchObject({ successCount: 1 })
    })
  })

  it('names what is wrong, by row and column, and loads the rest', async () => {
    const [id, logged] = [await inProcess(['CHOL', 'HDL', 'LDL', 'TRIG']), (await test.given.requisition()).id]
    await test.given.orderedTest(logged, 'CHOL')
    const rows = [
      row(id, 'CHOL', '5000'),
      row(id, 'HDL', '51'),
      row(id, 'HDL', '52'),
      row(id, 'LDL', '100'),
      row(id, 'NONSENSE', '1'),
      row(logged, 'CHOL', '180'),
      row(99_999_999, 'CHOL', '180'),
      row(id, 'TRIG', '150', { processDate: '11/03/2099 10:00' }),
      row(id, 'TRIG', '', { processDate: 'soon', isConfirmed: 'yes' }),
    ]
    const { errors, row: loaded } = await load('RESULT', csv(rows))
    expect(errors.map((error) => error.split(':')[0])).toEqual([
      'Row 2, result',
      'Row 4, result',
      'Row 5, result',
      'Row 6, testCode',
      'Row 7, result',
      'Row 8, reqId',
      'Row 9, processDate',
      'Row 10, result',
      'Row 10, processDate',
      'Row 10, isConfirmed',
    ])
    expect(loaded).toMatchObject({ successCount: 1, errorCount: 8 })
    expect(await resultsOf(id)).toMatchObject({ CHOL: null, HDL: '51', LDL: null })
  })

  it('asks for a confirmation of doubtful values, and takes it', async () => {
    const id = await inProcess(['CHOL', 'HDL'])
    const { errors } = await load('RESULT', csv([row(id, 'CHOL', '650')]))
    expect(errors).toEqual([expect.stringMatching(/^Row 2, isConfirmed: /)])
    expect((await load('RESULT', csv([row(id, 'CHOL', '650', { isConfirmed: '1' })]))).row).toMatchObject({
      successCount: 1,
    })
  })

  it('refuses text that a test does not list, under the result itself, also when it is confirmed', async () => {
    const id = await inProcess(['TRIG', 'A1C', 'DP'])
    const confirmed = { isConfirmed: '1' }
    const rows = [
      row(id, 'TRIG', '150,5', { isConfirmed: '0' }),
      row(id, 'A1C', 'abc', confirmed),
      row(id, 'DP', 'none', confirmed),
      row(id, 'DP', 'N/A'),
    ]
    const { errors, row: counts } = await load('RESULT', csv(rows))
    expect(errors).toEqual([
      'Row 2, result: TRIG: "150,5" is not a number',
      'Row 3, result: A1C: "abc" is not a number',
      'Row 4, result: DP: "none" is not a number and none of N/A',
    ])
    expect(counts).toMatchObject({ successCount: 1, errorCount: 3 })
    expect(await resultsOf(id)).toEqual({ TRIG: null, A1C: null, DP: 'N/A' })
  })

  it('finds a test whatever the case of its code, and reads ISO times and AM/PM', async () => {
    const id = await inProcess(['CHOL', 'HDL', 'TRIG'])
    const rows = [
      row(id, 'chol', '200', { processDate: '2026-11-03T14:05' }),
      row(id, 'Hdl', '50', { processDate: '11/03/2026 2:05 PM' }),
      row(id, 'TRIG', '150', { processDate: '3 November' }),
    ]
    expect((await load('RESULT', csv(rows))).errors).toEqual([
      'Row 4, processDate: Invalid date and time: write MM/DD/YYYY HH:mm (or hh:mm AM) or YYYY-MM-DD HH:mm',
    ])
    const { rows: times } = await sql<{ at: string }>`
      select process_date as at from requisition_test where requisition_id = ${id} and result is not null`.execute(
      test.database.db,
    )
    expect(times).toEqual([{ at: '2026-11-03T19:05:00Z' }, { at: '2026-11-03T19:05:00Z' }])
  })

  it('shows all of it in the preview and keeps nothing', async () => {
    const id = await inProcess(['CHOL', 'HDL'])
    const result = await preview('RESULT', csv([row(id, 'CHOL', '180'), row(id, 'HDL', '999')]))
    expect(result).toMatchObject({ totalCount: 2, goodCount: 1, errorCount: 1 })
    expect(await resultsOf(id)).toEqual({ CHOL: null, HDL: null })
  })

  it('keeps every list row as its definition says, with a report that came before the results and one that comes with them', async () => {
    const [fresh, partial, racing] = [await inProcess(['CHOL']), await inProcess(['CHOL']), await inProcess(['CHOL'])]
    await addReport(partial)
    expect(await isPartial(partial)).toBe(true)
    // A report is added while results are being written: whichever is first, the list counts both.
    await Promise.all([
      load('RESULT', csv([fresh, partial, racing].map((id) => row(id, 'CHOL', '180')))),
      addReport(racing),
    ])
    expect([await isPartial(fresh), await isPartial(partial), await isPartial(racing)]).toEqual([false, false, false])
    expect(await statusOf(fresh)).toBe('RESULT')
    const { rows } =
      await sql`select 1 from requisition_list l full join requisition_list_source s using (requisition_id) where l.* is distinct from s.*`.execute(
        test.database.db,
      )
    expect(rows).toEqual([])
  })
})

const isPartial = async (id: number) =>
  (
    await test.database.db
      .selectFrom('requisition_list')
      .select('is_partial_report')
      .where('requisition_id', '=', id)
      .executeTakeFirstOrThrow()
  ).is_partial_report
const addReport = (id: number) =>
  test.database.db.insertInto('report').values({ requisition_id: id, qc_type_code: 'LAB' }).execute()
