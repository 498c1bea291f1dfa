import { describe, expect, it } from 'vitest'
import { openTestBench } from '../../../test/bench.ts'

const bench = openTestBench()
const columns = { specimenId: 'Sample', code: 'Assay', value: 'Result', units: 'Unit', measuredAt: 'Measured' }
const waiting = (filter: string, count: number) =>
  bench.until(
    () => bench.resultsOf(filter),
    (rows) => rows.length >= count,
  )

describe('files of an instrument', () => {
  it('BENCH-03 BENCH-05 BENCH-07 give their results like messages, each file once; what has no place is held', async () => {
    const { id } = await bench.addInstrument({ protocol: 'FILE', port: null })
    const path = `instruments/${id}`
    const reqId = await bench.order(['CHOL', 'HDL'])
    const content = [
      'Sample,Assay,Result,Unit,Measured',
      `${reqId}S,chol,190,mg/dL,2026-11-19 08:20:00`,
      `${reqId},hdl,>100,mg/dL,2026-11-19 08:21:00`,
      'NOBODY,chol,5,mg/dL,2026-11-19 08:22:00',
    ].join('\r\n')
    const take = (text = content) => bench.staff().post(`${path}/files`, { fileName: 'run-1.csv', content: text })
    const early = await take()
    expect([early.status, early.body.errors[0].message]).toEqual([400, expect.stringContaining('which column')])
    const saved = await bench.admin().put(`${path}/file_columns`, columns)
    expect(saved.body.data).toMatchObject({ ...columns, flags: null })
    expect((await bench.staff().put(`${path}/file_columns`, columns)).status).toBe(403)
    const twice = await bench.admin().put(`${path}/file_columns`, { ...columns, units: 'sample' })
    expect([twice.status, twice.body.errors[0].field]).toEqual([400, 'units'])

    const { status, body } = await take()
    expect([status, body.data.rowCount]).toEqual([200, 3])
    const rows = await waiting(`messageId:${body.data.id}`, 3)
    expect(rows).toMatchObject([
      {
        reqId,
        testCode: 'CHOL',
        value: '190',
        units: 'mg/dL',
        measuredAt: '2026-11-19T08:20:00+00:00',
        state: 'REVIEW',
      },
      { reqId, testCode: 'HDL', value: '>100', state: 'REVIEW' },
      { specimenId: 'NOBODY', state: 'HELD', reasons: [{ code: 'UNKNOWN_SPECIMEN' }] },
    ])
    const again = await take()
    expect([again.status, again.body.message]).toEqual([409, expect.stringContaining('taken already')])
    // Another file with a result that is known: it is not there twice.
    const next = await take(`${content}\r\n${reqId},chol,192,mg/dL,2026-11-19 09:00:00`)
    expect(await waiting(`messageId:${next.body.data.id}`, 1)).toMatchObject([{ value: '192' }])
    expect((await bench.staff().get(`instrument_messages/${body.data.id}`)).body.data.raw).toBe(content)
    expect((await bench.linkOf(id)).lastSeenAt).not.toBeNull()
  })

  it('BENCH-03 are refused in words: without a column, from an instrument that is connected, or from one that is not active', async () => {
    const { id } = await bench.addInstrument({ protocol: 'FILE', port: null })
    await bench.admin().put(`instruments/${id}/file_columns`, columns)
    const take = (to: number) =>
      bench
        .staff()
        .post(`instruments/${to}/files`, { fileName: 'a.csv', content: 'Sample,Assay,Unit,Measured\n1,chol,,' })
    const { status, body } = await take(id)
    expect([status, body.errors]).toEqual([
      400,
      [{ field: 'content', message: 'The file has no column Result (Result)' }],
    ])
    await bench.admin().put(`instruments/${id}`, { isActive: 0 })
    expect((await take(id)).status).toBe(409)
    expect((await take((await bench.addInstrument()).id)).body.message).toContain('over ASTM')
    expect((await take(999_999)).status).toBe(404)
  })
})
