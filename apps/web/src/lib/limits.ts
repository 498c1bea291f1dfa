/** A range of numbers; null is without a limit on that side. */
export interface Limits {
  low: number | null
  high: number | null
}

const between = /^(-?[\d.]+)\s*[-–]\s*(-?[\d.]+)$/
const upTo = /^(?:<=?|≤)\s*(-?[\d.]+)$/
const from = /^(?:>=?|≥)\s*(-?[\d.]+)$/

/** The limits that a report prints: '4.0 - 5.6', '<= 99', '>= 40'; null for a text without any. */
export const readLimits = (text: string): Limits | null => {
  const [, low, high] = between.exec(text.trim()) ?? []
  const limits = {
    low: numberOf(low ?? from.exec(text.trim())?.[1]),
    high: numberOf(high ?? upTo.exec(text.trim())?.[1]),
  }
  return limits.low === null && limits.high === null ? null : limits
}

/** A result as a number; of '<5' the 5. Null for a word. */
export const readResult = (text: string): number | null => numberOf(/^[<>]?=?\s*(-?[\d.]+)$/.exec(text.trim())?.[1])

const numberOf = (text: string | undefined) => {
  const number = Number(text ?? Number.NaN)
  return Number.isFinite(number) ? number : null
}
