import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openTestBench, until } from '../../../test/bench.ts'
import { freePort } from '../../../test/free-port.ts'

const bench = openTestBench()
const root = join(import.meta.dirname, '../../../../..')

/** What the command prints, line by line. */
const simulate = async (args: string[]) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['scripts/run.mjs', 'scripts/simulate.ts', 'instrument', ...args],
    { cwd: root },
  )
  return stdout.trim().split('\n')
}
const valuesOf = async (reqId: number, count: number): Promise<[string, string][]> => {
  const rows: { instrumentCode: string; value: string }[] = await until(
    () => bench.resultsOf(`reqId:${reqId}`),
    (list) => list.length >= count,
  )
  return rows.map(({ instrumentCode, value }) => [instrumentCode, value])
}

describe('npm run simulate -- instrument', () => {
  it('BENCH-09 asks for open tests over ASTM, is refused wrong frames, and sends each result twice to be kept once', async () => {
    const instrument = await bench.addInstrument()
    const [first, second] = [await bench.order(['CHOL', 'HDL']), await bench.order(['TRIG'])]
    const printed = await simulate([
      ...['--port', String(instrument.port), '--specimens', `${first},${second}`],
      ...['--units', 'mg/dL', '--low', '90', '--high', '180', '--bad-frames', '--repeat'],
    ])
    expect(printed).toEqual(expect.arrayContaining([`${first}: chol, hdl`, `${second}: trig`]))
    const wrong = printed.filter((line) => /with a wrong checksum/.test(line))
    expect(wrong.length).toBeGreaterThan(0)
    for (const line of wrong) expect(line).toMatch(/: NAK$/)
    for (const [reqId, codes] of [
      [first, ['chol', 'hdl']],
      [second, ['trig']],
    ] as const) {
      const values = await valuesOf(reqId, codes.length)
      expect(values.map(([code]) => code)).toEqual(codes)
      for (const [code, value] of values) {
        expect(printed).toContain(`${reqId} ${code} ${value}`)
        expect(Number(value)).toBeGreaterThanOrEqual(90)
        expect(Number(value)).toBeLessThanOrEqual(180)
      }
    }
  })

  it('BENCH-09 sends results over HL7, each message answered, and a control with them', async () => {
    const instrument = await bench.addInstrument({ protocol: 'HL7' })
    const { lotId } = await bench.putInControl(instrument.id)
    await bench.admin().put(`instruments/${instrument.id}/controls`, { controls: [{ specimenId: 'QC-L1', lotId }] })
    const reqId = await bench.order(['CHOL'])
    const printed = await simulate([
      ...['--port', String(instrument.port), '--protocol', 'hl7', '--specimens', String(reqId), '--codes', 'chol'],
      ...['--units', 'mg/dL', '--control', 'QC-L1', '--control-value', '104', '--repeat'],
    ])
    const answers = printed.filter((line) => /: MSA/.test(line))
    expect(answers).toHaveLength(4)
    for (const answer of answers) expect(answer).toMatch(/: MSA\|AA\|/)
    const values = await valuesOf(reqId, 1)
    expect(values).toHaveLength(1)
    expect(printed).toContain(`${reqId} chol ${values[0]?.[1]}`)
    const controls = await bench.resultsOf(`instrumentId:${instrument.id},state:CONTROL`)
    expect(controls.map(({ value }: { value: string }) => value)).toEqual(['104'])
  })

  it('BENCH-09 explains itself when the port or the specimens are missing', async () => {
    await expect(simulate(['--port', '4001'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('npm run simulate -- instrument --port 4001'),
    })
  })

  it('BENCH-07 BENCH-09 measures each specimen once more: the other value is a repeat that a person decides about', async () => {
    const instrument = await bench.addInstrument()
    const reqId = await bench.order(['CHOL'])
    await simulate([
      ...['--port', String(instrument.port), '--specimens', String(reqId), '--units', 'mg/dL'],
      '--remeasure',
    ])
    const values = await valuesOf(reqId, 2)
    expect(new Set(values.map(([, value]) => value)).size).toBe(2)
    const rows: { reasons: { code: string }[] }[] = await bench.resultsOf(`reqId:${reqId}`)
    expect(rows.flatMap(({ reasons }) => reasons.map(({ code }) => code))).toContain('REPEAT')
  })

  it('BENCH-01 BENCH-09 listens for a server that calls the instrument', async () => {
    const port = await freePort()
    const reqId = await bench.order(['CHOL'])
    const printing = simulate(['--port', String(port), '--listen', '--specimens', String(reqId), '--units', 'mg/dL'])
    await bench.addInstrument({ host: '127.0.0.1', port })
    expect(await printing).toContain(`${reqId}: chol`)
    expect(await valuesOf(reqId, 1)).toHaveLength(1)
  })

  it.each([
    [['--protocol', 'hl7', '--codes', 'chol', '--bad-frames'], '--bad-frames cannot be used with hl7'],
    [['--protocol', 'hl7', '--codes', 'chol', '--listen'], '--listen cannot be used with hl7'],
    [['--protocol', 'hl7'], '--codes is missing'],
    [['--no-query'], '--codes is missing'],
  ])('BENCH-09 says that it cannot do what %j asks for', async (args, message) => {
    await expect(simulate(['--port', '4001', '--specimens', '1', ...args])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    })
  })
})
