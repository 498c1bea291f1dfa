import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMoney, fromCents, subtractAmounts, sumAmounts, sumByCurrency, toCents } from './money.ts'

const cents = fc.bigInt({ min: -999_999_999_999n, max: 999_999_999_999n })

describe('money', () => {
  it('converts to cents and back without loss', () => {
    fc.assert(fc.property(cents, (amount) => toCents(fromCents(amount)) === amount))
  })

  it('adds exactly, in any order, however many there are', () => {
    fc.assert(
      fc.property(fc.array(cents, { maxLength: 300 }), (amounts) => {
        const total = amounts.reduce((sum, amount) => sum + amount, 0n)
        expect(sumAmounts(amounts.map(fromCents))).toBe(fromCents(total))
        expect(sumAmounts(amounts.map(fromCents).reverse())).toBe(fromCents(total))
      }),
    )
  })

  it('never loses a cent where floating point would: a thousand times 0.10 is 100.00', () => {
    expect(sumAmounts(Array.from({ length: 1000 }, () => '0.10'))).toBe('100.00')
    expect(sumAmounts(['0.1', '0.2'])).toBe('0.30')
  })

  it('has the balance charges minus payments, which is zero once paid', () => {
    fc.assert(
      fc.property(cents, cents, (charged, paid) => {
        const owed = subtractAmounts(fromCents(charged), fromCents(paid))
        expect(sumAmounts([owed, fromCents(paid)])).toBe(fromCents(charged))
        expect(subtractAmounts(owed, owed)).toBe('0.00')
      }),
    )
  })

  it('sums per currency and never adds two currencies', () => {
    const item = fc.record({ amount: cents.map(fromCents), currencyCode: fc.constantFrom('USD', 'CAD', 'EUR') })
    fc.assert(
      fc.property(fc.array(item), (items) => {
        for (const { amount, currencyCode } of sumByCurrency(items)) {
          const own = items.filter((one) => one.currencyCode === currencyCode)
          expect(amount).toBe(sumAmounts(own.map((one) => one.amount)))
        }
        expect(sumByCurrency(items)).toHaveLength(new Set(items.map((one) => one.currencyCode)).size)
      }),
    )
  })

  it('shows thousands and the currency', () => {
    expect(formatMoney({ amount: '1234567.5', currencyCode: 'USD' })).toBe('$1,234,567.50')
    expect(formatMoney({ amount: '-0.05', currencyCode: 'USD' })).toBe('-$0.05')
    expect(formatMoney({ amount: '12.00', currencyCode: 'CAD' })).toBe('CAD 12.00')
    expect(() => toCents('1e3')).toThrow('Not an amount')
  })
})
