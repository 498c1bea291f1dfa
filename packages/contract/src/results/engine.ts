import {
  add,
  compare,
  decimalOf,
  divide,
  type Fraction,
  limitText,
  multiply,
  parseDecimal,
  roundTo,
  subtract,
  toFixedText,
  toShortText,
} from './decimal.ts'
import {
  bandOf,
  type Condition,
  type Formula,
  isOutside,
  type Sex,
  type TestDefinition,
  type TestRules,
} from './rules.ts'

/** The result columns of a test as computed by the result engine. */
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

/** An entered value: a number, an option code, or text, which is stored unchanged. */
export const enteredResult = (rules: TestRules, sex: Sex | null, entered: string): ResultCells => {
  if (rules.test.resultKind === 'category') return categoryResult(rules.test, entered)
  const value = rules.test.resultKind === 'numeric' ? parseDecimal(entered) : undefined
  if (!value) return { ...noResult, result: entered, reportable: entered }
  return { ...numericCells(rules, sex, value), result: entered, resultNum: entered }
}

const categoryResult = (test: TestDefinition, code: string): ResultCells => {
  const option = test.options?.find((candidate) => candidate.code === code)
  if (!option) throw new Error(`${test.testCode} has no option ${code}`)
  return { ...noResult, result: code, reportable: option.description, interpretation: option.interpretation }
}

/** Rules 2 to 4: rounded for print, `<lo` and `>hi` outside the reportable limits, interpretation by the rounded value. */
const numericCells = (rules: TestRules, sex: Sex | null, value: Fraction): ResultCells => {
  const { digits, report } = rules
  const rounded = roundTo(value, digits)
  const band = bandOf(rules, sex, rounded)
  let reportable = toFixedText(rounded, digits)
  if (report.lo && compare(rounded, report.lo) < 0) reportable = `<${limitText(report.lo, digits)}`
  if (report.hi && compare(rounded, report.hi) > 0) reportable = `>${limitText(report.hi, digits)}`
  return { ...noResult, reportable, interpretation: band && (rules.test.interpretationLabels?.[band] ?? null) }
}

/** The inputs of a formula: stored values by result key, and the rules of each. */
export interface FormulaInputs {
  value: (resultKey: string) => string | undefined
  rules: (resultKey: string) => TestRules
}

const storedDecimals = 6
/** The reportable text of a calculated test without a result. */
export const notCalculatedText = 'Not calculated'
const notCalculated = (comment: string | null): ResultCells => ({ ...noResult, reportable: notCalculatedText, comment })

/** Rules 7 and 8. A missing or text input gives nothing; a failed condition or an input out of range gives 'Not calculated'. */
export const calculatedResult = (rules: TestRules, sex: Sex | null, inputs: FormulaInputs): ResultCells => {
  const formula = rules.test.formula as Formula
  const values = new Map<string, Fraction>()
  for (const key of formulaKeys(formula)) {
    const value = parseDecimal(inputs.value(key) ?? '')
    if (!value) return noResult
    values.set(key, value)
  }
  const otherUnit =
    formula.op === 'band' ? undefined : [rules, ...[...values.keys()].map(inputs.rules)].find(isInOtherUnit)
  if (otherUnit) return notCalculated(unitComment(otherUnit))
  const failed = rules.test.validity.find((condition) => !isFulfilled(condition, values, inputs))
  if (failed) return notCalculated(failed.message)
  if (formula.op === 'band') return bandResult(rules, sex, formula, values, inputs)
  for (const [key, value] of values) {
    const input = inputs.rules(key)
    if (isOutside(roundTo(value, input.digits), input.report)) return notCalculated(null)
  }
  const exact = evaluate(formula, values)
  const stored = exact && roundTo(exact, storedDecimals)
  if (!stored || isOutside(stored, rules.reject)) return notCalculated(null)
  const text = toShortText(stored, storedDecimals)
  return { ...numericCells(rules, sex, stored), result: text, resultNum: text }
}

/** A formula and its conditions are in the units of the catalogue. */
const isInOtherUnit = ({ hasOwnUnit }: TestRules) => hasOwnUnit
const unitComment = ({ test, units }: TestRules) =>
  `${test.testCode} is in ${units} here, and the formula asks for ${test.units}`

/** The result keys that a formula reads. */
export const formulaKeys = (formula: Formula): string[] =>
  formula.args.flatMap((arg) => (typeof arg === 'string' ? [arg] : typeof arg === 'number' ? [] : formulaKeys(arg)))

/** Conditions compare the rounded input, which is what the report shows. */
const isFulfilled = ({ op, args: [key, bound] }: Condition, values: Map<string, Fraction>, inputs: FormulaInputs) => {
  const value = values.get(key) ?? parseDecimal(inputs.value(key) ?? '')
  if (!value) return false
  const order = compare(roundTo(value, inputs.rules(key).digits), decimalOf(bound))
  return { lt: order < 0, le: order <= 0, gt: order > 0, ge: order >= 0 }[op]
}

const bandResult = (
  rules: TestRules,
  sex: Sex | null,
  formula: Formula,
  values: Map<string, Fraction>,
  inputs: FormulaInputs,
): ResultCells => {
  const key = formula.args[0] as string
  const input = inputs.rules(key)
  const band = bandOf(input, sex, roundTo(values.get(key) as Fraction, input.digits))
  const code = band && formula.map?.[band]
  return code ? categoryResult(rules.test, code) : notCalculated(null)
}

const evaluate = (arg: Formula | string | number, values: Map<string, Fraction>): Fraction | undefined => {
  if (typeof arg === 'number') return decimalOf(arg)
  if (typeof arg === 'string') return values.get(arg)
  const [first, ...rest] = arg.args.map((inner) => evaluate(inner, values))
  return rest.reduce((left, right) => (left && right ? apply(arg.op, left, right) : undefined), first)
}

const apply = (op: Formula['op'], left: Fraction, right: Fraction): Fraction | undefined => {
  if (op === 'add') return add(left, right)
  if (op === 'sub') return subtract(left, right)
  if (op === 'mul') return multiply(left, right)
  return divide(left, right)
}
