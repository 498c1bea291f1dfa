/** Exact numbers: a laboratory value must never pass through binary floating point. */
export interface Fraction {
  n: bigint
  /** Always positive. */
  d: bigint
}

// No thousands separators: '118,460' may be meant as a decimal comma, and a laboratory must not guess.
const pattern = /^(-?)(\d{0,30})(?:\.(\d{1,30}))?$/
const mostDecimals = 30
const powers = Array.from({ length: 13 }, (_, exponent) => 10n ** BigInt(exponent))
const power = (exponent: number): bigint => powers[exponent] ?? 10n ** BigInt(exponent)

/** Undefined where the text is no decimal number. */
export const parseDecimal = (text: string): Fraction | undefined => {
  const match = pattern.exec(text)
  const [whole, decimals] = [match?.[2] ?? '', match?.[3] ?? '']
  if (!match || whole + decimals === '') return undefined
  const units = BigInt(`${whole}${decimals}`)
  return { n: match[1] ? -units : units, d: power(decimals.length) }
}

/** Limits are short decimals: text of the database, or numbers of a content file whose shortest text is what was written there. */
export const decimalOf = (value: number | string): Fraction => {
  const parsed = parseDecimal(String(value))
  if (!parsed) throw new Error(`${value} is not a decimal number`)
  return parsed
}

export const add = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d })
export const subtract = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d })
export const multiply = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d })
/** Undefined when divided by nothing. */
export const divide = (a: Fraction, b: Fraction): Fraction | undefined => {
  if (b.n === 0n) return undefined
  return b.n > 0n ? { n: a.n * b.d, d: a.d * b.n } : { n: -a.n * b.d, d: a.d * -b.n }
}

/** Negative, zero or positive, as a is less than, equal to or greater than b. */
export const compare = (a: Fraction, b: Fraction): number => {
  const difference = a.n * b.d - b.n * a.d
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Half away from zero. */
export const roundTo = (value: Fraction, digits: number): Fraction => {
  const scaled = value.n * power(digits)
  const size = scaled < 0n ? -scaled : scaled
  const units = (2n * size + value.d) / (2n * value.d)
  return { n: scaled < 0n ? -units : units, d: power(digits) }
}

/** With exactly so many decimals; the value must have been rounded to them. */
export const toFixedText = (value: Fraction, digits: number): string => {
  const units = (value.n * power(digits)) / value.d
  const size = (units < 0n ? -units : units).toString().padStart(digits + 1, '0')
  const text = digits === 0 ? size : `${size.slice(0, -digits)}.${size.slice(-digits)}`
  return units < 0n ? `-${text}` : text
}

/** Without trailing zeros. */
export const toShortText = (value: Fraction, digits: number): string => {
  const text = toFixedText(value, digits)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** A limit at the decimals of its test, or at its own where those would round it: values are compared with the limit itself. */
export const limitText = (limit: Fraction, digits: number): string => {
  const rounded = roundTo(limit, digits)
  return compare(rounded, limit) === 0 ? toFixedText(rounded, digits) : toShortText(limit, mostDecimals)
}

/** One text for all ways of writing a decimal, '52.40' and '052.4' as '52.4'; undefined where the text is none. */
export const shortestText = (text: string): string | undefined => {
  const value = parseDecimal(text)
  return value && toShortText(value, mostDecimals)
}
