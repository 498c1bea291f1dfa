import { describe, expect, it } from 'vitest'
import { add, compare, decimalOf, divide, limitText, multiply, subtract, toShortText } from './decimal.ts'

const calculate = (operation: typeof add, one: string, other: string) =>
  toShortText(operation(decimalOf(one), decimalOf(other)), 10)
const divided = (one: string, other: string) => {
  const quotient = divide(decimalOf(one), decimalOf(other))
  return quotient && toShortText(quotient, 10)
}

describe('exact decimals', () => {
  it('are added, subtracted and multiplied without loss, whatever their decimals and signs', () => {
    expect(calculate(add, '0.1', '0.25')).toBe('0.35')
    expect(calculate(subtract, '0.1', '0.25')).toBe('-0.15')
    expect(calculate(multiply, '-1.5', '0.25')).toBe('-0.375')
  })

  it('are divided by positive and negative numbers, and not by zero', () => {
    expect(divided('7.5', '2.5')).toBe('3')
    expect(divided('7.5', '-0.25')).toBe('-30')
    expect(divided('-7.5', '-0.25')).toBe('30')
    expect(divided('1', '0.0')).toBeUndefined()
  })

  it('are compared by value, not by their text', () => {
    expect(compare(decimalOf('1.0'), decimalOf('1'))).toBe(0)
    expect(compare(decimalOf('-2'), decimalOf('1.5'))).toBe(-1)
    expect(compare(decimalOf('10'), decimalOf('9.99'))).toBe(1)
  })

  it('show a limit at the decimals of its test, or at its own where those would round it', () => {
    expect(limitText(decimalOf('5'), 1)).toBe('5.0')
    expect(limitText(decimalOf('5.25'), 1)).toBe('5.25')
  })
})
