import type { ReasonCode, ResultCheck } from '@lis/contract/instrument-results.ts'
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
} from '@lis/contract/results/decimal.ts'
import { isOutside, type TestRules } from '@lis/contract/results/rules.ts'

/** The limits of a rule; every one is inclusive. */
export interface RuleLimits {
  low: string | null
  high: string | null
  deltaLimit: string | null
  deltaKind: 'percent' | 'absolute' | null
  deltaDays: number | null
  maxSpecimenHours: number | null
}

export interface AutoverifyRule extends RuleLimits {
  id: number
  testId: number
  labId: number | null
  colaId: number | null
  instrumentId: number | null
  isActive: boolean
  wasActive: boolean
  ruleVersion: number
}

interface RuleSubject {
  testId: number
  labId: number
  colaId: number
  instrumentId: number | null
}

/** The most specific rule: the instrument counts more than the collaborator, the collaborator more than the laboratory. */
export const findRule = (rules: readonly AutoverifyRule[], subject: RuleSubject): AutoverifyRule | undefined =>
  rules
    .filter(
      (rule) =>
        rule.testId === subject.testId &&
        // A rule that was never in force is a draft.
        (rule.isActive || rule.wasActive) &&
        (rule.labId === null || rule.labId === subject.labId) &&
        (rule.colaId === null || rule.colaId === subject.colaId) &&
        (rule.instrumentId === null || rule.instrumentId === subject.instrumentId),
    )
    .sort((a, b) => weight(b) - weight(a))[0]

const weight = ({ labId, colaId, instrumentId }: AutoverifyRule) =>
  (instrumentId === null ? 0 : 4) + (colaId === null ? 0 : 2) + (labId === null ? 0 : 1)

interface EarlierValue {
  value: string
  daysAgo: number
}

/** What a rule checks besides the value. */
export interface Facts {
  testCode: string
  value: string
  rules: TestRules
  /** Null without one; a rule that is switched off has `isActive` false. */
  rule: AutoverifyRule | null
  isStopped: boolean
  flags: readonly string[]
  earlier: EarlierValue | null
  qcState: 'IN' | 'OUT' | 'DUE'
  /** Out of control when the value was measured, and in control again. */
  wasQcOut: boolean
  /** The critical limit that the value exceeds, as text. */
  critical: string | null
  openIssues: number
  specimenTypes: readonly string[]
  wantedTypes: readonly string[]
  /** From the collection to the measurement. */
  specimenHours: number | null
  /** Missing inputs of a calculated test. */
  missingInputs: readonly string[]
  isReleased: boolean
  /** Why there is more than one result of the test. */
  repeats: string | null
  isPreliminary: boolean
  hasNoValue: boolean
}

/** Every condition, met or not, with its text. A result passes only if all are met. */
export const checkResult = (facts: Facts): ResultCheck[] => {
  const { testCode, rules, rule, isStopped, flags, qcState, critical, openIssues, missingInputs } = facts
  const check = (code: ReasonCode, passed: boolean, ok: string, wrong: string): ResultCheck => ({
    code,
    passed,
    text: passed ? ok : wrong,
  })
  return [
    check('CRITICAL', critical === null, 'No critical value', `Critical: ${critical}`),
    check(
      'RELEASED',
      !facts.isReleased,
      'Not released yet',
      'The report has been released; an instrument never changes it',
    ),
    check('REPEAT', facts.repeats === null, 'The only result of the test', facts.repeats ?? ''),
    check('NO_VALUE', !facts.hasNoValue, 'Has a value', `The instrument gives no value: ${facts.value}`),
    check('PRELIMINARY', !facts.isPreliminary, 'Final', 'Preliminary: the final result has not come yet'),
    check(
      'QC_OUT',
      qcState !== 'OUT' && !facts.wasQcOut,
      'Quality control is in',
      qcState === 'OUT'
        ? `Quality control of ${testCode} is out of control`
        : `Quality control of ${testCode} was out of control when it was measured`,
    ),
    flagCheck(flags),
    check('ISSUE', openIssues === 0, 'No open issue', `${openIssues} open issue${openIssues === 1 ? '' : 's'}`),
    ...checkSpecimenType(facts),
    incompleteCheck(missingInputs),
    check('QC_DUE', qcState !== 'DUE', 'Quality control is up to date', `Quality control of ${testCode} is due`),
    check('STOPPED', !isStopped, 'Autoverification is on', 'Autoverification has been stopped'),
    check(
      'NO_RULE',
      rule?.isActive === true,
      `Rule ${rule?.id}, version ${rule?.ruleVersion}`,
      rule ? `The rule for ${testCode} is switched off` : `There is no rule for ${testCode}`,
    ),
    ...(facts.hasNoValue ? [] : checkValue(facts, rules)),
    ...checkSpecimenAge(facts),
  ]
}

export const flagCheck = (flags: readonly string[]): ResultCheck => ({
  code: 'FLAG',
  passed: flags.length === 0,
  text: flags.length === 0 ? 'No instrument flag' : `Instrument flag: ${flags.join(', ')}`,
})

export const incompleteCheck = (missing: readonly string[]): ResultCheck => ({
  code: 'INCOMPLETE',
  passed: missing.length === 0,
  text: missing.length === 0 ? 'Calculated tests are complete' : `Calculated tests wait for ${missing.join(', ')}`,
})

/** The checks that depend on the value itself, also for 'Try it'. */
export const checkValue = (
  { testCode, value, rule, earlier }: Pick<Facts, 'testCode' | 'value' | 'earlier'> & { rule: RuleLimits | null },
  rules: TestRules,
): ResultCheck[] => {
  const isNumeric = rules.test.resultKind === 'numeric'
  const number = isNumeric ? parseDecimal(value.trim().replace(/^\+/, '')) : undefined
  const isKnownText = !isNumeric || rules.test.allowedText.includes(value)
  const checks: ResultCheck[] = [
    {
      code: 'NOT_NUMERIC',
      passed: number !== undefined || isKnownText,
      text: number !== undefined || isKnownText ? 'The value can be read' : `${testCode} ${value} is not a number`,
    },
  ]
  if (!number) {
    // A value that is neither a number nor a text of the test has already failed.
    if (isKnownText && rule && (rule.low !== null || rule.high !== null))
      checks.push({
        code: 'RANGE',
        passed: false,
        text: `${testCode} ${value} cannot be compared with the rule's limits`,
      })
    return checks
  }
  const unit = rules.units ? ` ${rules.units}` : ''
  const { report } = rules
  const isReportable = !isOutside(number, report)
  checks.push({
    code: 'REPORTABLE',
    passed: isReportable,
    text: isReportable
      ? 'Within the reportable limits'
      : `${testCode} ${value} is outside the reportable limits ${between(report)}${unit}`,
  })
  if (rule) {
    const limits = {
      lo: rule.low === null ? null : decimalOf(rule.low),
      hi: rule.high === null ? null : decimalOf(rule.high),
    }
    const isInside = !isOutside(number, limits)
    checks.push({
      code: 'RANGE',
      passed: isInside,
      text: isInside
        ? `Within the rule's limits`
        : `${testCode} ${value} is outside the rule's limits ${between(limits)}${unit}`,
    })
  }
  checks.push(deltaCheck(testCode, value, number, earlier, deltaLimitsOf(rule, rules)))
  return checks
}

const plain = (value: Fraction) => toShortText(roundTo(value, 10), 10)

/** '1 to 300', 'from 1', 'up to 300'. */
const between = ({ lo, hi }: { lo: Fraction | null; hi: Fraction | null }): string => {
  if (lo && hi) return `${plain(lo)} to ${plain(hi)}`
  return lo ? `from ${plain(lo)}` : `up to ${hi ? plain(hi) : ''}`
}

interface DeltaLimits {
  limit: string
  kind: 'percent' | 'absolute'
  days: number | null
}

/** Those of the rule, or the test's own. */
const deltaLimitsOf = (rule: RuleLimits | null, { test, hasOwnUnit }: TestRules): DeltaLimits | null => {
  if (rule?.deltaLimit != null && rule.deltaKind !== null)
    return { limit: rule.deltaLimit, kind: rule.deltaKind, days: rule.deltaDays }
  const { deltaCheck } = test
  if (!deltaCheck || (hasOwnUnit && deltaCheck.kind === 'absolute')) return null
  return { limit: String(deltaCheck.limit), kind: deltaCheck.kind, days: deltaCheck.withinDays }
}

const hundred = { n: 100n, d: 1n }
const size = ({ n, d }: Fraction): Fraction => ({ n: n < 0n ? -n : n, d })

const deltaCheck = (
  testCode: string,
  value: string,
  number: Fraction,
  earlier: EarlierValue | null,
  limits: DeltaLimits | null,
): ResultCheck => {
  const passed = (text: string): ResultCheck => ({ code: 'DELTA', passed: true, text })
  if (!limits) return passed('No delta check')
  const before = earlier ? parseDecimal(earlier.value) : undefined
  if (!earlier || !before || (limits.days !== null && earlier.daysAgo > limits.days)) return passed('No earlier result')
  const difference = subtract(number, before)
  const change = limits.kind === 'percent' ? divide(multiply(difference, hundred), size(before)) : difference
  const limit = decimalOf(limits.limit)
  if (change && compare(size(change), limit) <= 0) return passed(`Delta within ${plain(limit)}`)
  const unit = limits.kind === 'percent' ? '%' : ''
  return {
    code: 'DELTA',
    passed: false,
    text: `Delta: ${testCode} ${earlier.value} → ${value} in ${earlier.daysAgo} days; the limit is ${plain(limit)}${unit}`,
  }
}

const checkSpecimenType = ({ specimenTypes, wantedTypes }: Facts): ResultCheck[] => {
  if (wantedTypes.length === 0) return []
  const passed = specimenTypes.some((type) => wantedTypes.includes(type))
  const wanted = wantedTypes.join(' or ')
  return [
    {
      code: 'SPECIMEN_TYPE',
      passed,
      text: passed ? 'The specimen has the right type' : `No specimen of type ${wanted} was received`,
    },
  ]
}

/** An unknown age does not pass. */
export const checkSpecimenAge = ({
  rule,
  specimenHours,
}: Pick<Facts, 'specimenHours'> & { rule: RuleLimits | null }): ResultCheck[] => {
  if (rule?.maxSpecimenHours == null) return []
  const passed = specimenHours !== null && specimenHours <= rule.maxSpecimenHours
  return [
    {
      code: 'SPECIMEN_AGE',
      passed,
      text: passed
        ? 'The specimen is fresh enough'
        : `The specimen was ${specimenHours === null ? 'of unknown age' : `${Math.floor(specimenHours)} hours old`}; the limit is ${rule.maxSpecimenHours}`,
    },
  ]
}
