import type { ChosenRule, QcRule, QcRuleAction, QcRunState } from '@lis/contract/qc-rules.ts'
import { compare, decimalOf, divide, type Fraction, subtract } from '@lis/contract/results/decimal.ts'

/** A value of a control; without a z it could not be evaluated. */
export interface ControlValue {
  id: number
  level: number
  lotId: number
  z: Fraction | null
}

/** The values of one run. */
export type ControlRun = readonly ControlValue[]

export interface BrokenRule {
  rule: QcRule
  action: QcRuleAction
  levels: number[]
  valueIds: number[]
}

export interface Evaluation {
  state: QcRunState
  broken: BrokenRule[]
}

/** No rule looks further back than this, with the newest value. */
export const longestWindow = 12

/** (value - mean) / SD, exactly. */
export const zOf = (value: string, mean: string, sd: string): Fraction | null =>
  divide(subtract(decimalOf(value), decimalOf(mean)), decimalOf(sd)) ?? null

/**
 * Evaluates the newest run by the chosen rules. `earlier` are the runs before it, the latest first, with nothing in them that does not
 * count: void runs, values before a corrective action. They may hold values of other lots, with which a new lot starts again.
 */
export const evaluateRun = (
  newest: ControlRun,
  earlier: readonly ControlRun[],
  rules: readonly ChosenRule[],
): Evaluation => {
  const broken = rules.flatMap(({ rule, action }): BrokenRule[] => {
    const values = valuesThatBreak(rule, newest, earlier)
    if (values.length === 0) return []
    return [
      { rule, action, levels: sorted(values.map(({ level }) => level)), valueIds: sorted(values.map(({ id }) => id)) },
    ]
  })
  return { state: stateOf(newest, broken), broken }
}

const stateOf = (newest: ControlRun, broken: readonly BrokenRule[]): QcRunState => {
  if (broken.some(({ action }) => action === 'REJECT')) return 'REJECTED'
  if (newest.some(({ z }) => z === null)) return 'NOT_EVALUATED'
  return broken.length > 0 ? 'WARNING' : 'IN'
}

const sorted = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b)

type Evaluated = ControlValue & { z: Fraction }
/** The values that break a rule, or none. */
type Check = (values: readonly Evaluated[]) => readonly Evaluated[]

interface Rule {
  /** Applied to the last `n` values of each level, the newest last. */
  within?: { n: number; check: Check; isFewerEnough?: true }
  /** Applied to the last runs together, as many as give `n` values. */
  across?: { n: number; check: Check }
  /** Applied to the newest run only. */
  newest?: (values: readonly Evaluated[], levels: number) => readonly Evaluated[]
}

const isAbove = ({ z }: Evaluated, sds: bigint) => compare(z, { n: sds, d: 1n }) > 0
const isBelow = ({ z }: Evaluated, sds: bigint) => compare(z, { n: -sds, d: 1n }) < 0

/** All values beyond so many SD, on the same side. Exactly at the limit is not beyond it; exactly the mean is on neither side. */
const allBeyond =
  (sds: bigint): Check =>
  (values) =>
    values.every((value) => isAbove(value, sds)) || values.every((value) => isBelow(value, sds)) ? values : []

/** At least two values beyond 2 SD on the same side. */
const twoBeyond2: Check = (values) =>
  [values.filter((value) => isAbove(value, 2n)), values.filter((value) => isBelow(value, 2n))]
    .filter((side) => side.length >= 2)
    .flat()

/** The same, and the newest value is one of them. */
const newestAndOther: Check = (values) => {
  const found = twoBeyond2(values)
  return found.includes(values.at(-1) as Evaluated) ? found : []
}

const trend: Check = (values) => {
  const steps = values.slice(1).map(({ z }, index) => compare(z, (values[index] as Evaluated).z))
  return steps.every((step) => step > 0) || steps.every((step) => step < 0) ? values : []
}

const sameSide = (n: number): Rule => ({ within: { n, check: allBeyond(0n) }, across: { n, check: allBeyond(0n) } })

/** Each rule with its definition. */
const definitions: Record<QcRule, Rule> = {
  // A value of the newest run is beyond 2 SD.
  '1-2s': { within: { n: 1, check: allBeyond(2n) } },
  // A value of the newest run is beyond 3 SD.
  '1-3s': { within: { n: 1, check: allBeyond(3n) } },
  // Two values are beyond 2 SD on the same side: the last two of a level, or two levels of the newest run.
  '2-2s': { within: { n: 2, check: allBeyond(2n) }, newest: twoBeyond2 },
  // In the newest run one level is above +2 SD and another below -2 SD. Never between runs.
  'R-4s': {
    newest: (values) => {
      const [high, low] = [values.filter((value) => isAbove(value, 2n)), values.filter((value) => isBelow(value, 2n))]
      return high.length > 0 && low.length > 0 ? [...high, ...low] : []
    },
  },
  // Four values are beyond 1 SD on the same side.
  '4-1s': { within: { n: 4, check: allBeyond(1n) }, across: { n: 4, check: allBeyond(1n) } },
  // Ten values are on the same side of the mean.
  '10-x': sameSide(10),
  // Two of three values are beyond 2 SD on the same side, the newest being one of them; across, only in a run of three levels.
  '2of3-2s': {
    within: { n: 3, check: newestAndOther, isFewerEnough: true },
    newest: (values, levels) => (levels === 3 ? twoBeyond2(values) : []),
  },
  // Three values are beyond 1 SD on the same side.
  '3-1s': { within: { n: 3, check: allBeyond(1n) }, across: { n: 3, check: allBeyond(1n) } },
  // 6, 8 or 12 values are on the same side of the mean.
  '6-x': sameSide(6),
  '8-x': sameSide(8),
  '12-x': sameSide(12),
  // Seven values of a level, each z higher than the one before, or each lower.
  '7-T': { within: { n: 7, check: trend } },
}

const isEvaluated = (value: ControlValue): value is Evaluated => value.z !== null

const valuesThatBreak = (rule: QcRule, newest: ControlRun, earlier: readonly ControlRun[]): Evaluated[] => {
  const { within, across, newest: ofNewest } = definitions[rule]
  const evaluated = newest.filter(isEvaluated)
  const found: Evaluated[] = []
  if (within) {
    for (const value of evaluated) {
      const values = lastOfLevel(value, earlier, within.n)
      if (values.length === within.n || (within.isFewerEnough && values.length > 1)) found.push(...within.check(values))
    }
  }
  if (across) found.push(...across.check(lastRuns(newest, earlier, across.n)))
  if (ofNewest) found.push(...ofNewest(evaluated, newest.length))
  return found
}

/** The last values of the same lot, up to `n` with this one, the newest last. */
const lastOfLevel = (value: Evaluated, earlier: readonly ControlRun[], n: number): Evaluated[] => {
  const values = [value]
  for (const run of earlier) {
    if (values.length === n) break
    const former = run.find(({ lotId, level }) => lotId === value.lotId && level === value.level)
    if (former && isEvaluated(former)) values.unshift(former)
  }
  return values
}

/**
 * The values of the last runs, `n` in all. Only for two levels or more, if they divide `n` and each of the runs has a value of exactly the
 * levels and lots of the newest one; otherwise one value that breaks nothing.
 */
const lastRuns = (newest: ControlRun, earlier: readonly ControlRun[], n: number): Evaluated[] => {
  const levels = newest.length
  if (levels < 2 || n % levels !== 0) return []
  const runs = [newest, ...earlier.slice(0, n / levels - 1)]
  if (runs.length !== n / levels || !runs.every((run) => hasSameLots(run, newest))) return []
  return runs.flatMap((run) => run.filter(isEvaluated))
}

const hasSameLots = (run: ControlRun, newest: ControlRun) => {
  const evaluated = run.filter(isEvaluated)
  return (
    evaluated.length === newest.length &&
    newest.every(({ lotId, level }) => evaluated.some((value) => value.lotId === lotId && value.level === level))
  )
}
