import { describe, expect, it } from 'vitest'
import { readSeedData, type Sex, type TestSeed } from '../seed-data.ts'
import { calculatedResult, enteredResult, noResult, rulesOf } from './results.ts'

interface GoldenCase {
  caseId: string
  testCode: string
  resultKey: string
  sex: Sex
  inputs: Record<string, string>
  why: string
  expected: {
    action: string
    storedValue: string | null
    reportableResult: string | null
    interpretation: string | null
  }
}

const tests = readSeedData<TestSeed>('tests')
const byCode = new Map(tests.map((test) => [test.testCode, rulesOf(test)]))
const byKey = new Map(tests.map((test) => [test.resultKey, rulesOf(test)]))

// A refused entry never reaches the demo data, so only what is stored can be compared.
const cases = readSeedData<GoldenCase>('golden-results').filter(({ expected }) => expected.action !== 'reject')

const worked = ({ testCode, resultKey, sex, inputs }: GoldenCase) => {
  const rules = byCode.get(testCode)
  if (!rules) throw new Error(`No test ${testCode}`)
  if (!rules.test.isCalculated) return enteredResult(rules, sex, inputs[resultKey] as string)
  return calculatedResult(rules, sex, {
    value: (key) => inputs[key],
    rules: (key) => byKey.get(key) ?? rules,
  })
}

describe('results of the demo data', () => {
  it.each(cases)('follow the golden result $caseId: $testCode, $why', (golden) => {
    const { result, reportable, interpretation } = worked(golden)
    expect({ storedValue: result, reportableResult: reportable, interpretation }).toEqual({
      storedValue: golden.expected.storedValue,
      reportableResult: golden.expected.reportableResult,
      interpretation: golden.expected.interpretation,
    })
  })

  it('give a value between two bands of a collaborator to the less favorable one', () => {
    const a1c = tests.find((test) => test.testCode === 'A1C') as TestSeed
    const rules = rulesOf(a1c, { significantDigits: 2 })
    expect(enteredResult(rules, 'MALE', '5.65').interpretation).toBe('Borderline')
  })

  it('stay empty when an input is missing', () => {
    const ldl = byCode.get('LDL')
    if (!ldl) throw new Error('No LDL')
    expect(calculatedResult(ldl, 'MALE', { value: () => undefined, rules: () => ldl })).toEqual(noResult)
  })
})
