import {
  compare,
  decimalOf,
  divide,
  type Fraction,
  multiply,
  parseDecimal,
  roundTo,
  subtract,
  toShortText,
} from './decimal.ts'
import { type Bounds, isOutside, type TestRules } from './rules.ts'

/** The patient's latest earlier result of the same test. */
export interface EarlierResult {
  value: string
  /** Whole days between the two process dates. */
  daysAgo: number
  /** Where it was measured, for the message. */
  where?: string
}

/** A warning that the user has to confirm before the value is stored. */
export interface Doubt {
  kind: 'limits' | 'delta' | 'text'
  message: string
  /** A failed delta check: '+121%'. */
  change?: string
}

/** The verdict on an entry: refused for a reason, or accepted once its doubts are confirmed. */
export interface EntryCheck {
  refusal: string | null
  doubts: Doubt[]
}

/** Trims, and adds the zero before a leading decimal point; otherwise the value is stored as typed. */
export const normalizeEntry = (entered: string): string => entered.trim().replace(/^(-?)\.(?=\d+$)/, '$10.')

/** Rules 5, 6 and 10: category options, then limits of possible and usual values, then the delta check. */
export const checkEntry = (rules: TestRules, entered: string, earlier: EarlierResult | null): EntryCheck => {
  const { test } = rules
  if (test.resultKind === 'category') return checkOption(rules, entered)
  const value = test.resultKind === 'numeric' ? parseDecimal(entered) : undefined
  if (!value) return { refusal: null, doubts: isKnownText(rules, entered) ? [] : [textDoubt(rules, entered)] }
  if (isOutside(value, rules.reject)) {
    return { refusal: `${named(rules, entered)} is not possible: ${boundsText(rules.reject)}`, doubts: [] }
  }
  const doubts: Doubt[] = []
  if (isOutside(value, rules.confirm)) {
    doubts.push({ kind: 'limits', message: `${named(rules, entered)} is unusual: ${boundsText(rules.confirm)}` })
  }
  const delta = earlier && deltaDoubt(rules, entered, value, earlier)
  return { refusal: null, doubts: delta ? [...doubts, delta] : doubts }
}

const checkOption = ({ test }: TestRules, entered: string): EntryCheck => {
  const codes = (test.options ?? []).map(({ code }) => code)
  const refusal = codes.includes(entered) ? null : `${test.testCode} must be one of ${codes.join(', ')}`
  return { refusal, doubts: [] }
}

const isKnownText = ({ test }: TestRules, entered: string) =>
  test.resultKind === 'text' || test.allowedText.includes(entered)
const textDoubt = ({ test }: TestRules, entered: string): Doubt => ({
  kind: 'text',
  message: `${test.testCode}: "${entered}" is not a number`,
})

const named = ({ test, units }: TestRules, entered: string) =>
  [test.testCode, entered, units].filter((part) => part !== null).join(' ')

/** '1 to 300', 'at least 1', 'at most 300'. */
const boundsText = ({ lo, hi }: Bounds): string => {
  if (lo && hi) return `${plain(lo)} to ${plain(hi)}`
  return lo ? `at least ${plain(lo)}` : `at most ${plain(hi as Fraction)}`
}
const plain = (value: Fraction) => toShortText(roundTo(value, 10), 10)

const hundred = { n: 100n, d: 1n }
const size = ({ n, d }: Fraction): Fraction => ({ n: n < 0n ? -n : n, d })

const deltaDoubt = (rules: TestRules, entered: string, value: Fraction, earlier: EarlierResult): Doubt | null => {
  const { deltaCheck, testCode } = rules.test
  const before = parseDecimal(earlier.value)
  if (!deltaCheck || !before || earlier.daysAgo > deltaCheck.withinDays) return null
  const isPercent = deltaCheck.kind === 'percent'
  if (rules.hasOwnUnit && !isPercent) return null
  const difference = subtract(value, before)
  const change = isPercent ? divide(multiply(difference, hundred), size(before)) : difference
  if (!change || compare(size(change), decimalOf(deltaCheck.limit)) <= 0) return null
  const unit = isPercent ? '%' : ''
  const sign = change.n > 0n ? '+' : ''
  const at = earlier.where ? ` on ${earlier.where}` : ''
  return {
    kind: 'delta',
    change: `${sign}${plain(roundTo(change, isPercent ? 0 : 6))}${unit}`,
    message: `${testCode} was ${[earlier.value, rules.units].filter(Boolean).join(' ')}${at}, now ${entered}. The limit is ${plain(decimalOf(deltaCheck.limit))}${unit}.`,
  }
}
