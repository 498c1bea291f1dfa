import type { TestRules } from '@lis/contract/results/rules.ts'
import { describe, expect, it } from 'vitest'
import { checkValue } from './decide.ts'

const limits = { low: null, high: null, deltaLimit: null, deltaKind: null, deltaDays: null, maxSpecimenHours: null }
const failed = (resultKind: string, value: string, rule: Partial<typeof limits> | { high: string } | null) => {
  const bounds = { lo: null, hi: null }
  const test = { resultKind, allowedText: ['Not detected'], deltaCheck: null }
  const rules = { test, units: null, report: bounds } as unknown as TestRules
  return checkValue({ testCode: 'HCV', value, earlier: null, rule: rule && { ...limits, ...rule } }, rules)
    .filter(({ passed }) => !passed)
    .map(({ code }) => code)
}

describe('BENCH-21 a value that is text', () => {
  it.each(['text', 'numeric'])('fails the limits of a rule in a %s test', (kind) => {
    expect(failed(kind, 'Not detected', { high: '10' })).toEqual(['RANGE'])
  })
  it('passes a rule without limits', () => {
    expect(failed('text', 'Not detected', {})).toEqual([])
    expect(failed('numeric', 'Not detected', null)).toEqual([])
  })
  it('fails as no number where the test does not know it', () => {
    expect(failed('numeric', '>500', { high: '10' })).toEqual(['NOT_NUMERIC'])
  })
})
