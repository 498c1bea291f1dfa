import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { BesideRow } from './beside.ts'
import { type CostCall, costCalls, moveBack } from './cost-calls.ts'
import type { CostParts } from './cost-parts.ts'
import { type CostBench, openCostBench } from './cost-server.ts'

/** What a call costs, in milliseconds of processor time. */
interface Cost {
  server: number
  database: number
}

export interface CostRow extends Cost {
  name: string
  /** How many times as much as /healthz in the same run. */
  units: number
  most: number | null
}

const atOnce = 8
const rounds = 3
const warmUpSeconds = 1
/** What a call leaves to be done after its answer, such as rows of the access log, must not count for the next one. */
const settleMs = 1000

/**
 * Processor time per call of server and PostgreSQL, in units of what /healthz costs in the same run. Unlike response times it hardly
 * depends on what else the machine does. The rounds are in turn, and the median of each call counts.
 */
export const measureCost = async (size: number, seconds: number, match: string): Promise<CostRow[]> => {
  const bench = await openCostBench(size)
  try {
    const calls = costCalls.filter(({ name }) => name === 'healthz' || name.includes(match))
    const costs = new Map(calls.map(({ name }): [string, Cost[]] => [name, []]))
    for (const call of calls) await costOf(bench, call, warmUpSeconds)
    for (let round = 0; round < rounds; round++)
      for (const call of calls) costs.get(call.name)?.push(await costOf(bench, call, seconds))
    const unit = total(median(costs.get('healthz') ?? []))
    return calls.map(({ name, most = null }) => {
      const cost = median(costs.get(name) ?? [])
      return { name, ...cost, units: total(cost) / unit, most }
    })
  } finally {
    await moveBack(bench)
    await bench.close()
  }
}

const total = ({ server, database }: Cost) => server + database

const median = (costs: readonly Cost[]): Cost =>
  costs.toSorted((one, other) => total(one) - total(other))[Math.floor(costs.length / 2)] ?? { server: 0, database: 0 }

const costOf = async (bench: CostBench, call: CostCall, seconds: number): Promise<Cost> => {
  await call.before?.(bench)
  await wait(settleMs)
  const before = bench.processor()
  const count = await repeat(bench, call, seconds)
  const after = bench.processor()
  return { server: (after.server - before.server) / count, database: (after.database - before.database) / count }
}

let calls = 0

const repeat = async (bench: CostBench, { run, times }: CostCall, seconds: number): Promise<number> => {
  let count = 0
  const until = performance.now() + seconds * 1000
  const once = async () => {
    const done = await run(bench, calls++)
    count += done
  }
  const caller = async () => {
    while (performance.now() < until) await once()
  }
  if (times) for (let turn = 0; turn < times; turn++) await once()
  else await Promise.all(Array.from({ length: atOnce }, caller))
  return count
}

export const isTooExpensive = ({ units, most }: CostRow) => most !== null && units > most

export const costLine = ({ name, server, database, units, most }: CostRow) =>
  [
    name.padEnd(14),
    server.toFixed(3).padStart(10),
    database.toFixed(3).padStart(12),
    units.toFixed(1).padStart(8),
    (most === null ? '' : String(most)).padStart(7),
  ].join('')

export const printCost = (size: number, rows: readonly CostRow[]) => {
  console.log(`\ncost, ${size.toLocaleString('en-US')} requisitions, processor time per call, 8 at once`)
  console.log(
    `${'call'.padEnd(14)}${'server ms'.padStart(10)}${'database ms'.padStart(12)}${'units'.padStart(8)}${'most'.padStart(7)}`,
  )
  for (const row of rows) console.log(`${costLine(row)}${isTooExpensive(row) ? '  OVER THE LIMIT' : ''}`)
}

interface CostReport {
  size: number
  rows: readonly CostRow[]
  parts: CostParts
  /** Null without another server. */
  beside: readonly BesideRow[] | null
}

export const writeCost = (file: string, { size, rows, parts, beside }: CostReport) => {
  const report = { requisitions: size, at: new Date().toISOString(), rows, parts, ...(beside && { beside }) }
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
}
