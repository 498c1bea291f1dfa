/** Exact numbers: a laboratory value must never pass through binary floating point. */
export interface Fraction {
  n: bigint
  /** Always positive. */
  d: bigint
}

// No thousands separators: '118,460' may be meant as a decimal comma, and a laboratory must not guess.
const pattern = /^(-?)(\d{0,30})(?:\.(\d{1,30}))?$/
const maxDecimals = 30
const powers = Array.from({ length: 13 }, (_, exponent) => 10n ** BigInt(exponent))
const power = (exponent: number): bigint => powers[exponent] ?? 10n ** BigInt(exponent)

/** Undefined if the text is not a decimal number. */
export const parseDecimal = (text: string): Fraction | undefined => {
  const match = pattern.exec(text)
  const [integer, decimals] = [match?.[2] ?? '', match?.[3] ?? '']
  if (!match || integer + decimals === '') return undefined
  const units = BigInt(`${integer}${decimals}`)
  return { n: match[1] ? -units : units, d: power(decimals.length) }
}

/** For limits: text from the database, or a number from a content file, whose shortest text is what the file says. */
export const decimalOf = (value: number | string): Fraction => {
  const parsed = parseDecimal(String(value))
  if (!parsed) throw new Error(`${value} is not a decimal number`)
  return parsed
}

export const add = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d })
export const subtract = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d - b.n * a.d, d: a.d * b.d })
export const multiply = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d })
/** Undefined when dividing by zero. */
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

/** With exactly `digits` decimals; the value must be rounded to them already. */
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

/** A limit with the decimals of its test, or with more where those would round it: values are compared with the exact limit. */
export const limitText = (limit: Fraction, digits: number): string => {
  const rounded = roundTo(limit, digits)
  return compare(rounded, limit) === 0 ? toFixedText(rounded, digits) : toShortText(limit, maxDecimals)
}

/** The canonical text of a decimal: '52.40' and '052.4' give '52.4'; undefined if the text is not a decimal. */
export const shortestText = (text: string): string | undefined => {
  const value = parseDecimal(text)
  return value && toShortText(value, maxDecimals)
}
