import { limitText, parseDecimal, roundTo, toFixedText } from './decimal.ts'
import { type Band, type BandName, bandsFor, type ResultOption, type Sex, type TestRules } from './rules.ts'

interface StoredResult {
  result: string | null
  significantDigits: number
  options: readonly ResultOption[] | null
}

/** The display text of a stored result: numbers rounded, option codes as descriptions, text unchanged (TEST-G9). */
export const displayedResult = ({ result, significantDigits, options }: StoredResult): string => {
  if (result === null) return ''
  const option = options?.find(({ code }) => code === result)
  if (option) return option.description
  const value = options ? undefined : parseDecimal(result)
  return value ? toFixedText(roundTo(value, significantDigits), significantDigits) : result
}

export interface RangeText {
  band: BandName
  lo: string | null
  hi: string | null
}

/** The bands for a patient's sex, limits as text. */
export const rangesFor = (rules: TestRules, sex: Sex | null): RangeText[] =>
  bandsFor(rules, sex).map(({ name, lo, hi }: Band) => ({
    band: name,
    lo: lo && limitText(lo, rules.digits),
    hi: hi && limitText(hi, rules.digits),
  }))

/** '≤ 199', '200–239', '≥ 240'. */
export const rangeText = ({ lo, hi }: Pick<RangeText, 'lo' | 'hi'>): string => {
  if (lo !== null && hi !== null) return `${lo}–${hi}`
  return lo === null ? `≤ ${hi}` : `≥ ${lo}`
}
