import type { BandName, ConditionSeed, FormulaSeed, Sex, TestSeed } from '../seed-data.ts'
import {
  add,
  compare,
  decimalOf,
  divide,
  type Fraction,
  multiply,
  parseDecimal,
  roundTo,
  subtract,
  toFixedText,
  toShortText,
} from './decimal.ts'

/** The result columns of a test as the rules of the result engine fill them. */
export interface ResultCells {
  result: string | null
  resultNum: string | null
  reportable: string | null
  interpretation: string | null
  comment: string | null
}

export const noResult: ResultCells = {
  result: null,
  resultNum: null,
  reportable: null,
  interpretation: null,
  comment: null,
}

interface Band {
  name: BandName
  lo: Fraction | null
  hi: Fraction | null
}

/** A test with the limits that hold for it (the collaborator's before the catalogue's), read once. */
export interface TestRules {
  test: TestSeed
  digits: number
  reportLo: Fraction | null
  reportHi: Fraction | null
  rejectLo: Fraction | null
  rejectHi: Fraction | null
  bands: Record<Sex, readonly Band[]>
}

const limit = (value: number | null): Fraction | null => (value === null ? null : decimalOf(value))

export const rulesOf = (base: TestSeed, own: Partial<TestSeed> = {}): TestRules => {
  const test = { ...base, ...own }
  const bands = (sex: 'm' | 'f'): Band[] =>
    (['Normal', 'Border', 'Unfav'] as const)
      .map((part, index) => ({
        name: bandOrder[index] as BandName,
        lo: limit(test[`${sex}${part}Lo`]),
        hi: limit(test[`${sex}${part}Hi`]),
      }))
      .filter((band) => band.lo !== null || band.hi !== null)
  return {
    test,
    digits: test.significantDigits,
    reportLo: limit(test.reportLo),
    reportHi: limit(test.reportHi),
    rejectLo: limit(test.plausibility.rejectLo),
    rejectHi: limit(test.plausibility.rejectHi),
    bands: { MALE: bands('m'), FEMALE: bands('f') },
  }
}

/** From best to worst. */
const bandOrder: readonly BandName[] = ['normal', 'borderline', 'unfavorable']

const outside = (value: Fraction, lo: Fraction | null, hi: Fraction | null): boolean =>
  (lo !== null && compare(value, lo) < 0) || (hi !== null && compare(value, hi) > 0)

/** Rule 3: inclusive limits against the rounded value; in a hole between two bands the less favorable neighbor counts. */
const bandOf = (rules: TestRules, sex: Sex, rounded: Fraction): BandName | null => {
  const bands = rules.bands[sex]
  const inside = bands.find((band) => !outside(rounded, band.lo, band.hi))
  if (inside) return inside.name
  const below = nearest(bands, (band) => band.hi && compare(band.hi, rounded) < 0 && band.hi, -1)
  const above = nearest(bands, (band) => band.lo && compare(band.lo, rounded) > 0 && band.lo, 1)
  if (!below || !above) return null
  return bandOrder.indexOf(below.name) > bandOrder.indexOf(above.name) ? below.name : above.name
}

/** The band whose limit lies closest: the highest of those below, the lowest of those above. */
const nearest = (
  bands: readonly Band[],
  limitOf: (band: Band) => Fraction | false | null,
  direction: 1 | -1,
): Band | undefined => {
  let found: { band: Band; at: Fraction } | undefined
  for (const band of bands) {
    const at = limitOf(band)
    if (at && (!found || compare(at, found.at) * direction < 0)) found = { band, at }
  }
  return found?.band
}

/** An entered value: a number, an option code, or text that passes through. */
export const enteredResult = (rules: TestRules, sex: Sex, entered: string): ResultCells => {
  if (rules.test.resultKind === 'category') return categoryResult(rules.test, entered)
  const value = parseDecimal(entered)
  if (!value) return { ...noResult, result: entered, reportable: entered }
  return { ...numericCells(rules, sex, value), result: entered, resultNum: entered }
}

const categoryResult = (test: TestSeed, code: string): ResultCells => {
  const option = test.options?.find((candidate) => candidate.code === code)
  if (!option) throw new Error(`${test.testCode} has no option ${code}`)
  return { ...noResult, result: code, reportable: option.description, interpretation: option.interpretation }
}

/** Rules 2 to 4: rounded for print, `<lo` and `>hi` outside the reportable limits, interpretation by the value itself. */
const numericCells = (rules: TestRules, sex: Sex, value: Fraction): ResultCells => {
  const { digits, reportLo, reportHi } = rules
  const rounded = roundTo(value, digits)
  const band = bandOf(rules, sex, rounded)
  let reportable = toFixedText(rounded, digits)
  if (reportLo && compare(rounded, reportLo) < 0) reportable = `<${toFixedText(reportLo, digits)}`
  if (reportHi && compare(rounded, reportHi) > 0) reportable = `>${toFixedText(reportHi, digits)}`
  return { ...noResult, reportable, interpretation: band && (rules.test.interpretationLabels?.[band] ?? null) }
}

/** What a formula reads: entered values by result key, and the rules of each. */
export interface FormulaInputs {
  value: (resultKey: string) => string | undefined
  rules: (resultKey: string) => TestRules
}

const storedDecimals = 6
const notCalculated = (comment: string | null): ResultCells => ({ ...noResult, reportable: 'Not calculated', comment })

/** Rules 7 and 8. A missing or text input gives nothing; a failed condition or an input out of range gives 'Not calculated'. */
export const calculatedResult = (rules: TestRules, sex: Sex, inputs: FormulaInputs): ResultCells => {
  const formula = rules.test.formula as FormulaSeed
  const values = new Map<string, Fraction>()
  for (const key of keysOf(formula)) {
    const value = parseDecimal(inputs.value(key) ?? '')
    if (!value) return noResult
    values.set(key, value)
  }
  const failed = rules.test.validity.find((condition) => !holds(condition, values, inputs))
  if (failed) return notCalculated(failed.message)
  if (formula.op === 'band') return bandResult(rules, sex, formula, values, inputs)
  for (const [key, value] of values) {
    const input = inputs.rules(key)
    if (outside(roundTo(value, input.digits), input.reportLo, input.reportHi)) return notCalculated(null)
  }
  const exact = evaluate(formula, values)
  const stored = exact && roundTo(exact, storedDecimals)
  if (!stored || outside(stored, rules.rejectLo, rules.rejectHi)) return notCalculated(null)
  const text = toShortText(stored, storedDecimals)
  return { ...numericCells(rules, sex, stored), result: text, resultNum: text }
}

const keysOf = (formula: FormulaSeed): string[] =>
  formula.args.flatMap((arg) => (typeof arg === 'string' ? [arg] : typeof arg === 'number' ? [] : keysOf(arg)))

/** Conditions look at the rounded input, as a person does who reads the print. */
const holds = ({ op, args: [key, bound] }: ConditionSeed, values: Map<string, Fraction>, inputs: FormulaInputs) => {
  const value = values.get(key) ?? parseDecimal(inputs.value(key) ?? '')
  if (!value) return false
  const order = compare(roundTo(value, inputs.rules(key).digits), decimalOf(bound))
  return { lt: order < 0, le: order <= 0, gt: order > 0, ge: order >= 0 }[op]
}

const bandResult = (
  rules: TestRules,
  sex: Sex,
  formula: FormulaSeed,
  values: Map<string, Fraction>,
  inputs: FormulaInputs,
): ResultCells => {
  const key = formula.args[0] as string
  const input = inputs.rules(key)
  const band = bandOf(input, sex, roundTo(values.get(key) as Fraction, input.digits))
  const code = band && formula.map?.[band]
  return code ? categoryResult(rules.test, code) : notCalculated(null)
}

const evaluate = (arg: FormulaSeed | string | number, values: Map<string, Fraction>): Fraction | undefined => {
  if (typeof arg === 'number') return decimalOf(arg)
  if (typeof arg === 'string') return values.get(arg)
  const [first, ...rest] = arg.args.map((inner) => evaluate(inner, values))
  return rest.reduce((left, right) => (left && right ? apply(arg.op, left, right) : undefined), first)
}

const apply = (op: FormulaSeed['op'], left: Fraction, right: Fraction): Fraction | undefined => {
  if (op === 'add') return add(left, right)
  if (op === 'sub') return subtract(left, right)
  if (op === 'mul') return multiply(left, right)
  return divide(left, right)
}
