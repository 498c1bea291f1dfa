import { describe, expect, it } from 'vitest'
import { hasCycle, meets } from './condition.ts'

const final = (result: string, over: object = {}) => ({
  result,
  reportable: result,
  interpretation: null,
  digits: 0,
  ...over,
})

describe('a reflex condition', () => {
  it.each([
    ['>', '240', '240', false],
    ['>', '240', '240.4', false],
    ['>', '240', '240.5', true],
    ['>=', '240', '239.5', true],
    ['<', '10', '9.4', true],
    ['<=', '10', '10.4', true],
    ['=', '10', '10.2', true],
    ['>', '500', '>500', true],
    ['>', '501', '>500', false],
    ['<', '5', '<5', true],
    ['>', '500', '>=500', false],
    ['>', '499', '>=500', true],
    ['>=', '500', '>= 500', true],
    ['>=', '500', '>500', true],
    ['<', '2', '<=2', false],
    ['<', '3', '<=2', true],
    ['<=', '2', '<=2', true],
    ['<', '500', '>=500', false],
    ['=', '500', '>=500', false],
    ['>', '5', 'N/A', false],
  ] as const)('BENCH-30 %s %s is compared with %s as the report shows it: %s', (op, value, result, expected) => {
    expect(meets({ op, value }, final(result))).toBe(expected)
  })
  it('BENCH-30 compares interpretation and text without regard to case', () => {
    expect(meets({ op: 'interpretation', value: 'high' }, final('1', { interpretation: 'High' }))).toBe(true)
    expect(meets({ op: 'text', value: 'POSITIVE' }, final('positive'))).toBe(true)
    expect(meets({ op: 'text', value: 'POSITIVE' }, final('negative'))).toBe(false)
  })
  it('BENCH-31 finds cycles of any length', () => {
    expect(hasCycle([{ from: 1, to: 1 }])).toBe(true)
    expect(
      hasCycle([
        { from: 1, to: 2 },
        { from: 2, to: 3 },
        { from: 3, to: 1 },
      ]),
    ).toBe(true)
    expect(
      hasCycle([
        { from: 1, to: 2 },
        { from: 1, to: 3 },
        { from: 2, to: 3 },
      ]),
    ).toBe(false)
  })
})
