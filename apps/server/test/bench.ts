import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { Analyser } from '../seeds/laboratory/analyser.ts'
import { startInstruments } from '../src/modules/instruments/start-instruments.ts'
import type { Loop } from '../src/platform/jobs/loop.ts'
import { type Caller, openTestApp } from './app.ts'
import { freePort } from './free-port.ts'

let serial = 0

export interface BenchInstrument {
  id: number
  port: number
  labId: number
  name: string
}

/** Waits until something is so. */
export const until = async <T>(read: () => Promise<T>, isSo: (value: T) => boolean, ms = 30_000): Promise<T> => {
  for (const end = Date.now() + ms; ; await wait(50)) {
    const value = await read()
    if (isSo(value) || Date.now() > end) return value
  }
}

/** A server whose instruments are connected by real sockets. */
export const openTestBench = () => {
  const test = openTestApp()
  let [admin, staff] = [{}, {}] as [Caller, Caller]
  let links: Loop
  beforeAll(async () => {
    ;[admin, staff] = [await test.as('ADM'), await test.as('STF')]
    links = startInstruments({ services: test.services, databaseUrl: test.database.url })
  })
  afterAll(() => links?.stop())

  const linkOf = async (id: number) => (await staff.get(`instruments/${id}`)).body.data

  /** An instrument that listens, with codes for CHOL, HDL, TRIG, LDL and DP. */
  const addInstrument = async (over: Record<string, unknown> = {}): Promise<BenchInstrument> => {
    const labId = (over.labId as number | undefined) ?? (await test.given.lab({ zone: 'UTC' })).id
    const port = (over.port as number | undefined) ?? (await freePort())
    const name = `Analyser ${++serial}`
    const { body } = await admin.post('instruments', { name, labId, protocol: 'ASTM', port, ...over })
    const { id } = body.data
    await admin.put(`instruments/${id}/codes`, {
      codes: ['CHOL', 'HDL', 'TRIG', 'LDL'].map((testCode) => ({
        instrumentCode: testCode.toLowerCase(),
        testCode,
        units: 'mg/dL',
        decimals: 1,
      })),
    })
    if (over.host === undefined && over.protocol !== 'FILE') {
      const link = await until(
        () => linkOf(id),
        ({ linkState }) => linkState === 'LISTENING',
      )
      if (link.linkState !== 'LISTENING')
        throw new Error(`The link of instrument ${id}: ${link.linkState} ${link.linkMessage}`)
    }
    return { id, port, labId, name }
  }

  const connect = ({ port }: BenchInstrument) => Analyser.connect({ port })

  /** A requisition in Processing with these tests. */
  const order = async (tests: readonly string[] = ['CHOL'], over: Record<string, unknown> = {}) => {
    const { id } = await test.given.requisition({
      status_code: 'PROCESS',
      collected_at: new Date(Date.now() - 7_200_000).toISOString(),
      ...over,
    })
    await test.given.specimen(id)
    for (const code of tests) await test.given.orderedTest(id, code)
    return id
  }

  const resultsOf = async (filter: string) =>
    (await staff.get(`instrument_results?filter=[${filter}]&sort=[id,ASC]`)).body.data
  const reqTest = async (reqId: number, code = 'CHOL') =>
    (await staff.get(`requisitions/${reqId}/req_tests`)).body.data.find(
      (row: { testCode: string }) => row.testCode === code,
    )

  /** Puts a test in control on an instrument. */
  const putInControl = async (instrumentId: number, testCode = 'CHOL', value = '100') => {
    const material = await admin.post('qc_materials', { name: `Material ${++serial}` })
    const lot = await admin.post('qc_lots', {
      materialId: material.body.data.id,
      level: 1,
      lotNumber: `L${serial}`,
      expires: '2030-01-01',
    })
    const lotId: number = lot.body.data.id
    await admin.post('qc_targets', {
      lotId,
      instrumentId,
      testCode,
      mean: '100',
      sd: '10',
      source: 'MAKER',
      validFrom: new Date(Date.now() - 30 * 86_400_000).toISOString(),
    })
    await admin.put('qc_plans', { testCode, instrumentId, rules: [{ rule: '1-3s', action: 'REJECT' }], everyHours: 24 })
    const run = (of: string) =>
      staff.post('qc_runs', {
        instrumentId,
        testCode,
        ranAt: new Date(Date.now() - 60_000).toISOString(),
        values: [{ lotId, value: of }],
      })
    await run(value)
    return { lotId, run }
  }

  return {
    test,
    admin: () => admin,
    staff: () => staff,
    addInstrument,
    connect,
    order,
    linkOf,
    resultsOf,
    reqTest,
    putInControl,
    until,
  }
}
