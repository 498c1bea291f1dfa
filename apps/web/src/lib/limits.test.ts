import { describe, expect, it } from 'vitest'
import { readLimits, readResult } from './limits.ts'

describe('the limits of a report', () => {
  it.each([
    ['4.0 - 5.6', 4, 5.6],
    ['4.0–5.6', 4, 5.6],
    ['-2 - 3', -2, 3],
    ['<= 99', null, 99],
    ['>= 40', 40, null],
  ])('%s', (text, low, high) => {
    expect(readLimits(text)).toEqual({ low, high })
  })
  it.each(['', 'Negative', 'see comment'])('%j has none', (text) => {
    expect(readLimits(text)).toBeNull()
  })
})

it.each([
  ['8.9', 8.9],
  ['<5', 5],
  ['> 200', 200],
  ['Positive', null],
  ['', null],
])('the result %j is the number %s', (text, number) => {
  expect(readResult(text)).toBe(number)
})
