import { compare, decimalOf, type Fraction } from './decimal.ts'

export type Sex = 'MALE' | 'FEMALE'
export type BandName = 'normal' | 'borderline' | 'unfavorable'
/** Null means unbounded. */
type Limit = number | string | null

export interface Formula {
  op: 'add' | 'sub' | 'mul' | 'div' | 'band'
  /** Result keys, numbers, or nested formulas. */
  args: (string | number | Formula)[]
  map?: Record<BandName, string>
}

export interface Condition {
  op: 'lt' | 'le' | 'gt' | 'ge'
  args: [string, number]
  message: string
}

export interface ResultOption {
  code: string
  description: string
  band: BandName | null
  interpretation: string | null
}

type RangeKey = `${'m' | 'f'}${'Normal' | 'Border' | 'Unfav'}${'Lo' | 'Hi'}`

/** A test as the engine needs it; the catalogue's rows and its content file both have this shape. */
export interface TestDefinition extends Record<RangeKey, Limit> {
  testCode: string
  resultKey: string
  units: string | null
  resultKind: 'numeric' | 'category' | 'text'
  options: ResultOption[] | null
  allowedText: string[]
  significantDigits: number
  formula: Formula | null
  validity: Condition[]
  plausibility: Record<'rejectLo' | 'rejectHi' | 'confirmLo' | 'confirmHi', Limit>
  reportLo: Limit
  reportHi: Limit
  deltaCheck: { kind: 'percent' | 'absolute'; limit: number | string; withinDays: number } | null
  interpretationLabels: Record<BandName, string | null> | null
}

/** What a collaborator overrides in a test. */
export type RangeOverride = Partial<Pick<TestDefinition, RangeKey | 'units' | 'reportLo' | 'reportHi'>> & {
  significantDigits?: number | null
}

/**
 * The rules that decide how a result is printed and interpreted, catalogue and collaborator combined. Stored with each result: ranges
 * change, and a result keeps the interpretation of its time. Limits are text, so equal rules have equal JSON.
 */
export type InterpretationRules = Record<RangeKey | 'reportLo' | 'reportHi', string | null> &
  Pick<TestDefinition, 'units' | 'significantDigits' | 'options' | 'interpretationLabels'>

export interface Bounds {
  lo: Fraction | null
  hi: Fraction | null
}
export interface Band extends Bounds {
  name: BandName
}

/** A test with its effective limits, parsed once. */
export interface TestRules {
  test: TestDefinition
  interpretationRules: InterpretationRules
  units: string | null
  /** The collaborator uses another unit than the catalogue, so the catalogue's numbers do not apply. */
  hasOwnUnit: boolean
  digits: number
  report: Bounds
  reject: Bounds
  confirm: Bounds
  bands: Record<Sex, readonly Band[]>
}

/** From best to worst. */
export const bandOrder: readonly BandName[] = ['normal', 'borderline', 'unfavorable']
const bandParts = ['Normal', 'Border', 'Unfav'] as const

const bounds = (lo: Limit | undefined, hi: Limit | undefined): Bounds => ({ lo: limit(lo), hi: limit(hi) })
const limit = (value: Limit | undefined): Fraction | null =>
  value === null || value === undefined ? null : decimalOf(value)
const isSet = ({ lo, hi }: Bounds) => lo !== null || hi !== null

/** Treats spellings of a unit as equal: 'mg/dL' and 'MG / dl', 'µmol/L' and 'umol/L'. */
export const isSameUnit = (one: string | null, other: string | null) => plainUnit(one) === plainUnit(other)
const plainUnit = (unit: string | null) =>
  (unit ?? '').normalize('NFKC').replace(/\s/g, '').toLowerCase().replaceAll('μ', 'u')

const noLimits: Partial<TestDefinition> = {}

/** The collaborator's decimals, unit, reportable limits and bands override the catalogue's; the bands of one sex are overridden together. */
export const rulesOf = (test: TestDefinition, own: RangeOverride = {}): TestRules => {
  const hasOwnUnit = Boolean(own.units && test.units) && !isSameUnit(own.units ?? null, test.units)
  const catalogue = hasOwnUnit ? noLimits : test
  const { rejectLo, rejectHi, confirmLo, confirmHi } = catalogue.plausibility ?? {}
  const interpretationRules = toInterpretationRules(test, own, catalogue)
  return {
    test,
    interpretationRules,
    units: interpretationRules.units,
    hasOwnUnit,
    digits: interpretationRules.significantDigits,
    report: bounds(interpretationRules.reportLo, interpretationRules.reportHi),
    reject: bounds(rejectLo, rejectHi),
    confirm: bounds(confirmLo, confirmHi),
    bands: { MALE: bandsOf(interpretationRules, 'm'), FEMALE: bandsOf(interpretationRules, 'f') },
  }
}

/** The rules under which a result was stored; the current ones for results stored before rules were recorded. */
export const rulesAtResultTime = (now: TestRules, then: InterpretationRules | null | undefined): TestRules => {
  if (!then) return now
  const { options, interpretationLabels } = then
  const { interpretationRules, units, digits, report, bands } = rulesOf({ ...now.test, ...then })
  return {
    ...now,
    interpretationRules,
    units,
    digits,
    report,
    bands,
    test: { ...now.test, options, interpretationLabels },
  }
}

const toInterpretationRules = (
  test: TestDefinition,
  own: RangeOverride,
  catalogue: Partial<TestDefinition>,
): InterpretationRules => {
  const report = isSet(bounds(own.reportLo, own.reportHi)) ? own : catalogue
  return {
    units: own.units ?? test.units,
    significantDigits: own.significantDigits ?? test.significantDigits,
    options: test.options,
    interpretationLabels: test.interpretationLabels,
    reportLo: limitText(report.reportLo),
    reportHi: limitText(report.reportHi),
    ...bandLimits(bandsOf(own, 'm').length > 0 ? own : catalogue, 'm'),
    ...bandLimits(bandsOf(own, 'f').length > 0 ? own : catalogue, 'f'),
  } as InterpretationRules
}

const bandLimits = (source: RangeOverride, sex: 'm' | 'f') =>
  Object.fromEntries(
    bandParts
      .flatMap((part) => [`${sex}${part}Lo`, `${sex}${part}Hi`] as RangeKey[])
      .map((key) => [key, limitText(source[key])]),
  )
const limitText = (value: Limit | undefined) => (value === null || value === undefined ? null : String(value))

const bandsOf = (source: RangeOverride, sex: 'm' | 'f'): Band[] =>
  bandParts
    .map((part, index) => ({
      name: bandOrder[index] as BandName,
      ...bounds(source[`${sex}${part}Lo`], source[`${sex}${part}Hi`]),
    }))
    .filter(isSet)

/** Limits are inclusive. */
export const isOutside = (value: Fraction, { lo, hi }: Bounds): boolean =>
  (lo !== null && compare(value, lo) < 0) || (hi !== null && compare(value, hi) > 0)

/** The bands for a patient; without a known sex only if both sexes have the same (rule 11). */
export const bandsFor = ({ bands }: TestRules, sex: Sex | null): readonly Band[] => {
  if (sex !== null) return bands[sex]
  return isSameBands(bands.MALE, bands.FEMALE) ? bands.MALE : []
}

const isSameBands = (one: readonly Band[], other: readonly Band[]) =>
  one.length === other.length &&
  one.every((band, index) => {
    const counterpart = other[index] as Band
    return band.name === counterpart.name && isSame(band.lo, counterpart.lo) && isSame(band.hi, counterpart.hi)
  })
const isSame = (one: Fraction | null, other: Fraction | null) =>
  one === null || other === null ? one === other : compare(one, other) === 0

/**
 * Rule 3: inclusive limits against the rounded value. A limit shared by two bands, and a gap between two, belong to the less favorable
 * one.
 */
export const bandOf = (rules: TestRules, sex: Sex | null, rounded: Fraction): BandName | null => {
  const bands = bandsFor(rules, sex)
  const inside = bands.findLast((band) => !isOutside(rounded, band))
  if (inside) return inside.name
  const below = nearest(bands, (band) => band.hi && compare(band.hi, rounded) < 0 && band.hi, -1)
  const above = nearest(bands, (band) => band.lo && compare(band.lo, rounded) > 0 && band.lo, 1)
  if (!below || !above) return null
  return bandOrder.indexOf(below.name) > bandOrder.indexOf(above.name) ? below.name : above.name
}

/** The band with the closest limit: the highest below, the lowest above. */
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
