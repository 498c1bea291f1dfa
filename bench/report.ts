import type { Pair, Side } from './measure.ts'

export interface PairRow extends Pair {
  name: string
}

/** What is not compared with a bare route but with a limit of its own. */
export interface Fact {
  name: string
  value: number
  unit: string
  /** Over it, or under it with `isFloor`, is a miss. */
  limit?: number
  isFloor?: boolean
  note?: string
}

/** p50 within 2 times, under load 1.5, and p99 within 3 times of the bare route. */
const limits = { p50: 2, p50UnderLoad: 1.5, p99: 3 }

/** Under load latency comes in whole milliseconds, too coarse to divide, so there p50 is judged by throughput: same connections, same thing. */
const ratiosOf = ({ ours, bare }: Pair) => ({
  p50: ours.perSecond && bare.perSecond ? bare.perSecond / ours.perSecond : ours.p50 / bare.p50,
  p99: Math.max(1, ours.p99) / Math.max(1, bare.p99),
})

export const isOver = (pair: Pair): boolean => {
  const { p50, p99 } = ratiosOf(pair)
  const most = pair.ours.perSecond ? limits.p50UnderLoad : limits.p50
  return p50 > most || p99 > limits.p99
}

const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0)
const side = ({ perSecond, p50, p99 }: Side) =>
  `${perSecond ? `${perSecond.toFixed(0)}/s ` : ''}p50 ${ms(p50)} p99 ${ms(p99)}`

/** Prints both sides and their ratios; answers the rows that are over a limit. */
export const printPairs = (title: string, rows: readonly PairRow[]): PairRow[] => {
  console.log(`\n${title.padEnd(58)}${'ours (ms)'.padEnd(28)}${'bare (ms)'.padEnd(28)}p50 ×  p99 ×`)
  for (const row of rows) console.log(pairLine(row))
  const over = rows.filter(isOver)
  console.log(`${rows.length} calls, ${over.length} over the limits (p50 ${limits.p50}×, p99 ${limits.p99}×)`)
  return over
}

export const pairLine = (row: PairRow): string => {
  const { p50, p99 } = ratiosOf(row)
  return `${row.name.padEnd(58)}${side(row.ours).padEnd(28)}${side(row.bare).padEnd(28)}${p50.toFixed(2).padEnd(7)}${p99.toFixed(2)}${isOver(row) ? '  OVER THE LIMIT' : ''}`
}

export const isMissed = ({ value, limit, isFloor }: Fact): boolean =>
  limit !== undefined && (isFloor ? value < limit : value > limit)

const number = (value: number) =>
  value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 })

export const printFacts = (title: string, facts: readonly Fact[]): Fact[] => {
  console.log(`\n${title}`)
  for (const fact of facts) console.log(factLine(fact))
  return facts.filter(isMissed)
}

export const factLine = (fact: Fact): string => {
  const limit = fact.limit === undefined ? '' : `${fact.isFloor ? 'at least' : 'at most'} ${number(fact.limit)}`
  return `${fact.name.padEnd(58)}${`${number(fact.value)} ${fact.unit}`.padEnd(20)}${limit.padEnd(20)}${fact.note ?? ''}${isMissed(fact) ? '  MISSED' : ''}`
}

/** One line per figure, one column per size. */
export const printGrowth = (sizes: readonly number[], figures: ReadonlyMap<string, ReadonlyMap<number, string>>) => {
  console.log(`\n${'Growth'.padEnd(58)}${sizes.map((size) => size.toLocaleString('en-US').padStart(16)).join('')}`)
  for (const [name, bySize] of figures) {
    console.log(`${name.padEnd(58)}${sizes.map((size) => (bySize.get(size) ?? '').padStart(16)).join('')}`)
  }
}

/** Returns the exit code. */
export const printVerdict = (missed: readonly string[]): 0 | 1 => {
  console.log(missed.length === 0 ? '\nWithin every limit.' : `\nOver a limit:\n${missed.join('\n')}`)
  return missed.length === 0 ? 0 : 1
}
