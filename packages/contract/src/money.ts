/** Amounts are decimal texts with two places ('12.50'), calculated in cents and never as floating point numbers. */

const shape = /^(-?)([0-9]{1,16})(?:\.([0-9]{1,2}))?$/

export const isAmount = (text: string) => shape.test(text)

export const toCents = (amount: string): bigint => {
  const match = shape.exec(amount)
  if (!match) throw new Error(`Not an amount: ${amount}`)
  const [, sign, whole = '', places = ''] = match
  const cents = BigInt(whole) * 100n + BigInt(places.padEnd(2, '0'))
  return sign ? -cents : cents
}

export const fromCents = (cents: bigint): string => {
  const size = cents < 0n ? -cents : cents
  return `${cents < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`
}

export const sumAmounts = (amounts: Iterable<string>): string => {
  let cents = 0n
  for (const amount of amounts) cents += toCents(amount)
  return fromCents(cents)
}

export const subtractAmounts = (from: string, amount: string): string => fromCents(toCents(from) - toCents(amount))

export interface Money {
  amount: string
  currencyCode: string
}

/** One sum per currency, in the order of their codes: amounts of two currencies are never added. */
export const sumByCurrency = (items: Iterable<Money>): Money[] => {
  const sums = new Map<string, bigint>()
  for (const { amount, currencyCode } of items) sums.set(currencyCode, (sums.get(currencyCode) ?? 0n) + toCents(amount))
  return [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([currencyCode, cents]) => ({ amount: fromCents(cents), currencyCode }))
}

/** $1,234.50, or the code before the number for a currency without a symbol. */
export const formatMoney = ({ amount, currencyCode }: Money): string => {
  const cents = toCents(amount)
  const [whole = '', places] = fromCents(cents < 0n ? -cents : cents).split('.')
  const number = `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${places}`
  return `${cents < 0n ? '-' : ''}${currencyCode === 'USD' ? '$' : `${currencyCode} `}${number}`
}
