import { compare, decimalOf, type Fraction, parseDecimal, roundTo, toFixedText } from '@lis/contract/results/decimal.ts'

export interface Limit {
  id: number
  testId: number
  sexCode: string | null
  ageFrom: number | null
  ageTo: number | null
  collaboratorId: number | null
  lo: string | null
  hi: string | null
  callMinutes: number
}

export interface Subject {
  testId: number
  sex: string | null
  /** Completed years; null if it is unknown. */
  age: number | null
  collaboratorId: number
}

/**
 * The most specific limit for a result: the collaborator counts more than the sex, the sex more than the age. Of several that are equally
 * specific the newest counts, for each side the newest that has one: 'below 2' and 'above 6' may be two limits.
 */
export const findLimit = (
  limits: readonly Limit[],
  { testId, sex, age, collaboratorId }: Subject,
): Limit | undefined => {
  const found = limits
    .filter(
      (limit) =>
        limit.testId === testId &&
        (limit.collaboratorId === null || limit.collaboratorId === collaboratorId) &&
        (limit.sexCode === null || limit.sexCode === sex) &&
        (limit.ageFrom === null || (age !== null && age >= limit.ageFrom)) &&
        (limit.ageTo === null || (age !== null && age <= limit.ageTo)),
    )
    .sort((a, b) => weight(b) - weight(a) || b.id - a.id)
  const [newest] = found
  if (!newest) return undefined
  const equal = found.filter((limit) => weight(limit) === weight(newest))
  const newestOf = (side: 'lo' | 'hi') => equal.find((limit) => limit[side] !== null)?.[side] ?? null
  return { ...newest, lo: newestOf('lo'), hi: newestOf('hi') }
}

const weight = ({ collaboratorId, sexCode, ageFrom, ageTo }: Limit) =>
  (collaboratorId === null ? 0 : 4) + (sexCode === null ? 0 : 2) + (ageFrom === null && ageTo === null ? 0 : 1)

/** The value that is called: rounded to the decimals of the test. Text is unchanged. */
export const calledValue = (result: string, digits: number): string => {
  const value = parseDecimal(result)
  return value ? toFixedText(roundTo(value, digits), digits) : result
}

/** Below `lo` or above `hi`; exactly at the limit is not. '>500' is critical from a `hi` of 500 down, '<2' from a `lo` of 2 up. */
export const isCritical = (value: string, { lo, hi }: Pick<Limit, 'lo' | 'hi'>): boolean => {
  const [low, high] = [lo, hi].map((limit) => (limit === null ? null : decimalOf(limit)))
  const number = parseDecimal(value)
  if (number) return isLess(number, low) || isLess(high, number)
  const [, sign, rest] = /^([<>])=?\s*(\S+)$/.exec(value) ?? []
  const bound = rest === undefined ? undefined : parseDecimal(rest)
  if (!bound) return false
  return sign === '>' ? high != null && compare(bound, high) >= 0 : low != null && compare(bound, low) <= 0
}

const isLess = (one: Fraction | null | undefined, other: Fraction | null | undefined) =>
  one != null && other != null && compare(one, other) < 0

/** Compared as numbers: 6.9 is 6.90. Text is compared as text. */
export const isSameValue = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((value) => parseDecimal(value.trim().replace(/^\+/, '')))
  if (a && b) return compare(a, b) === 0
  const plain = (value: string) => value.replace(/\s/g, '').toLowerCase()
  return !a && !b && plain(one) === plain(other)
}
