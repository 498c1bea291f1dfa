import type { Pair, Side } from './measure.ts'

export interface Row extends Pair {
  name: string
}

/** Latency under load in whole milliseconds is too coarse to divide, so p50 is judged by throughput: same connections, same thing. */
const ratios = ({ ours, bare }: Pair) => ({
  p50: bare.perSecond / ours.perSecond,
  p99: Math.max(1, ours.p99) / Math.max(1, bare.p99),
})

const side = ({ perSecond, p50, p99 }: Side) => `${perSecond.toFixed(0)}/s  p50 ${p50} p99 ${p99} ms`

/** Prints both sides and their ratios; true when a ratio is over its limit. */
export const printTable = (rows: Row[], limits: { p50: number; p99: number }): boolean => {
  console.log(`\n${'call'.padEnd(32)}${'ours'.padEnd(32)}${'bare Fastify'.padEnd(32)}p50 ×   p99 ×`)
  let failed = false
  for (const row of rows) {
    const { p50, p99 } = ratios(row)
    const isOver = p50 > limits.p50 || p99 > limits.p99
    failed ||= isOver
    console.log(
      `${row.name.padEnd(32)}${side(row.ours).padEnd(32)}${side(row.bare).padEnd(32)}${p50.toFixed(2).padEnd(8)}${p99.toFixed(2)}${isOver ? '  OVER THE LIMIT' : ''}`,
    )
  }
  console.log(`\nlimits: p50 ${limits.p50}×, p99 ${limits.p99}×`)
  return failed
}
