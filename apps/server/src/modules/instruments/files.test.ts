import { appendFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
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
    expect([early.status, early.body.errors[0].message]).toEqual([400, expect.stringContaining('not set up')])
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

  it('BENCH-03 are refused with a reason: without a column, from a connected instrument, or from an inactive one', async () => {
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

describe('the folder of an instrument', () => {
  it('BENCH-03 is watched: a file is taken once and removed, one that cannot be read is set aside with the reason, and the instrument tells both', async () => {
    const { id } = await bench.addInstrument({ protocol: 'FILE', port: null })
    const reqId = await bench.order(['CHOL'])
    const { folder } = (await bench.staff().get(`instruments/${id}/file_columns`)).body.data
    const link = (words: string | null, state = 'LISTENING') =>
      bench.until(
        () => bench.linkOf(id),
        ({ linkState, linkMessage }) =>
          linkState === state && (words === null ? linkMessage === null : linkMessage?.includes(words)),
      )
    expect(await link('are not set up')).toMatchObject({ linkState: 'LISTENING' })
    const content = `Sample,Assay,Result,Unit,Measured\r\n${reqId},chol,190,mg/dL,2026-11-19 08:20:00`
    await writeFile(join(folder, 'run-1.csv'), content)
    await bench.admin().put(`instruments/${id}/file_columns`, columns)
    expect(await waiting(`instrumentId:${id}`, 1)).toMatchObject([{ reqId, testCode: 'CHOL', value: '190' }])
    await bench.until(
      () => readdir(folder),
      (names) => names.length === 0,
    )

    await writeFile(join(folder, 'run-1-again.csv'), content)
    expect(await link('run-1-again.csv has been taken already')).toMatchObject({
      linkMessage: 'run-1-again.csv has been taken already',
    })
    await writeFile(join(folder, 'run-2.csv'), 'Sample,Assay\r\n1,chol')
    expect((await link('run-2.csv was refused')).linkMessage).toMatch(/The file has no column .*Result \(Result\)/)
    const aside = await readdir(join(folder, 'refused'))
    expect(aside).toEqual([expect.stringMatching(/run-2\.csv$/), expect.stringMatching(/run-2\.csv\.reason\.txt$/)])
    expect(await readdir(folder)).toEqual(['refused'])
    expect(await bench.resultsOf(`instrumentId:${id}`)).toHaveLength(1)
  })

  it('BENCH-03 waits for a file that is still being written, and says in words that the folder cannot be used', async () => {
    const { id } = await bench.addInstrument({ protocol: 'FILE', port: null })
    await bench.admin().put(`instruments/${id}/file_columns`, columns)
    const { folder } = (await bench.staff().get(`instruments/${id}/file_columns`)).body.data
    await bench.until(
      () => bench.linkOf(id),
      ({ linkState }) => linkState === 'LISTENING',
    )
    const file = join(folder, 'growing.csv')
    await writeFile(file, 'Sample,Assay,Result,Unit,Measured\r\n')
    for (let row = 1; row <= 20; row++) {
      await appendFile(file, `S${row},chol,${row},mg/dL,2026-11-19 08:20:00\r\n`)
      await wait(150)
    }
    const rows = await waiting(`instrumentId:${id}`, 20)
    expect([rows.length, new Set(rows.map(({ messageId }: { messageId: number }) => messageId)).size]).toEqual([20, 1])

    const other = await bench.addInstrument({ protocol: 'FILE', port: null, isActive: 0 })
    await writeFile(join(folder, '..', String(other.id)), 'a file where the folder should be')
    await bench.admin().put(`instruments/${other.id}`, { isActive: 1 })
    const told = await bench.until(
      () => bench.linkOf(other.id),
      ({ linkState }) => linkState === 'ERROR',
    )
    expect([told.linkState, told.linkMessage]).toEqual(['ERROR', expect.stringContaining('folder cannot be used')])
  })
})
