import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkEntry, normalizeEntry } from './check.ts'
import { parseDecimal, roundTo, shortestText, toFixedText } from './decimal.ts'
import { displayedResult, rangesFor, rangeText } from './display.ts'
import { calculatedResult, enteredResult, noResult } from './engine.ts'
import { rulesAtResultTime, rulesOf, type Sex, type TestDefinition } from './rules.ts'

interface GoldenCase {
  caseId: string
  testCode: string
  resultKey: string
  sex: Sex
  inputs: Record<string, string>
  previous: { value: string; daysAgo: number } | null
  why: string
  expected: {
    action: 'accept' | 'confirm' | 'reject' | 'calculated' | 'notCalculated' | 'noResult'
    storedValue: string | null
    displayedValue: string | null
    reportableResult: string | null
    interpretation: string | null
  }
}

const readSeeds = <Row>(name: string): Row[] =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../../../apps/server/seeds/data/${name}.json`, import.meta.url)), 'utf8'),
  )

const tests = readSeeds<TestDefinition>('tests')
const byCode = new Map(tests.map((test) => [test.testCode, rulesOf(test)]))
const byKey = new Map(tests.map((test) => [test.resultKey, rulesOf(test)]))
const rulesFor = (code: string) => {
  const rules = byCode.get(code)
  if (!rules) throw new Error(`No test ${code}`)
  return rules
}

const worked = ({ testCode, resultKey, sex, inputs, previous }: GoldenCase) => {
  const rules = rulesFor(testCode)
  if (rules.test.formula) {
    const cells = calculatedResult(rules, sex, {
      value: (key) => inputs[key],
      rules: (key) => byKey.get(key) ?? rules,
    })
    const action = cells.result !== null ? 'calculated' : cells.reportable === null ? 'noResult' : 'notCalculated'
    return { action, cells }
  }
  const entered = inputs[resultKey] as string
  const { refusal, doubts } = checkEntry(rules, entered, previous)
  if (refusal !== null) return { action: 'reject', cells: noResult }
  return { action: doubts.length > 0 ? 'confirm' : 'accept', cells: enteredResult(rules, sex, entered) }
}

describe('the result engine', () => {
  it.each(readSeeds<GoldenCase>('golden-results'))('follows $caseId: $testCode, $why TEST-49', (golden) => {
    const { action, cells } = worked(golden)
    const { options, significantDigits } = rulesFor(golden.testCode).test
    expect({
      action,
      storedValue: cells.result,
      displayedValue: displayedResult({ result: cells.result, options, significantDigits }) || null,
      reportableResult: cells.reportable,
      interpretation: cells.interpretation,
    }).toEqual(golden.expected)
  })

  it('gives a value between two bands of a collaborator to the less favorable one', () => {
    const { test } = rulesFor('A1C')
    const rules = rulesOf(test, { significantDigits: 2 })
    expect(enteredResult(rules, 'MALE', '5.65').interpretation).toBe('Borderline')
  })

  it('prefers the collaborator’s limits, with the bands of one sex together', () => {
    const { test } = rulesFor('HDL')
    const rules = rulesOf(test, { mNormalLo: 50, mUnfavHi: 49, reportHi: '90', units: 'mg/dl' })
    expect(rules.units).toBe('mg/dl')
    expect(enteredResult(rules, 'MALE', '55').interpretation).toBe('Normal')
    expect(enteredResult(rules, 'FEMALE', '55').interpretation).toBe('Borderline')
    expect(enteredResult(rules, 'MALE', '95').reportable).toBe('>90')
    // With only an upper limit of the collaborator the lower end is unbounded.
    expect(enteredResult(rules, 'MALE', '2').reportable).toBe('2')
  })

  it('interprets a stored result by the rules stored with it, not by the current ones', () => {
    const { test } = rulesFor('HDL')
    const own = { mNormalLo: 50, mUnfavHi: '49', reportHi: '90', units: 'mg/dl', significantDigits: 1 }
    const then = rulesOf(test, own)
    const kept = JSON.parse(JSON.stringify(then.interpretationRules))
    const now = rulesOf(test, { mNormalLo: 70, mUnfavHi: 69 })
    const again = rulesAtResultTime(now, kept)
    for (const sex of ['MALE', 'FEMALE'] as const)
      for (const value of ['2', '49.04', '55', '95'])
        expect(enteredResult(again, sex, value)).toEqual(enteredResult(then, sex, value))
    expect(rangesFor(again, 'MALE')).toEqual(rangesFor(then, 'MALE'))
    expect(again.interpretationRules).toEqual(then.interpretationRules)
    expect(rulesAtResultTime(now, null)).toBe(now)
    // Numbers from the content file and text from the database give the same rules.
    expect(rulesOf(test, { ...own, mNormalLo: '50', mUnfavHi: 49 }).interpretationRules).toEqual(
      then.interpretationRules,
    )
  })

  it('does not apply the catalogue’s limits and formulas when a collaborator uses another unit', () => {
    const hdl = rulesOf(rulesFor('HDL').test, {
      mNormalLo: '1.3',
      mUnfavHi: '1.29',
      units: 'mmol/L',
      significantDigits: 2,
    })
    // 0.9 mg/dL is not possible, 0.9 mmol/L is.
    expect(checkEntry(rulesFor('HDL'), '0.9', null).refusal).not.toBeNull()
    expect(checkEntry(hdl, '0.9', null)).toEqual({ refusal: null, doubts: [] })
    expect(enteredResult(hdl, 'MALE', '0.9').interpretation).toBe('Unfavorable')
    expect(enteredResult(hdl, 'FEMALE', '0.9').interpretation).toBeNull()
    const cells = calculatedResult(rulesFor('LDL'), 'MALE', {
      value: (key) => ({ [hdl.test.resultKey]: '1.2' })[key] ?? '100',
      rules: (key) => (key === hdl.test.resultKey ? hdl : (byKey.get(key) ?? hdl)),
    })
    expect(cells).toMatchObject({
      result: null,
      reportable: 'Not calculated',
      comment: 'HDL is in mmol/L here, and the formula asks for mg/dL',
    })
  })

  it('never calls a result normal that has no range, or whose range depends on a sex that is not known', () => {
    const { test } = rulesFor('HDL')
    const none = Object.fromEntries(Object.keys(test).map((key) => [key, /^[mf][A-Z]/.test(key) ? null : undefined]))
    const withoutRange = rulesOf({ ...test, ...Object.fromEntries(Object.entries(none).filter(([, v]) => v === null)) })
    expect(enteredResult(withoutRange, 'MALE', '55').interpretation).toBeNull()
    expect(enteredResult(rulesFor('HDL'), null, '55').interpretation).toBeNull()
    expect(enteredResult(rulesFor('CHOL'), null, '150').interpretation).toBe('Normal')
  })

  it('is exact where binary numbers are not, and rounds half away from zero on both sides', () => {
    const rounded = (text: string, digits: number) => {
      const value = parseDecimal(text)
      return value && toFixedText(roundTo(value, digits), digits)
    }
    expect(rounded('1.005', 2)).toBe('1.01')
    expect(rounded('-0.5', 0)).toBe('-1')
    expect(rounded('123456789012345678.5', 0)).toBe('123456789012345679')
    expect(['1e3', '118,46', '1,104', '12O.4', '', '.', '-', '+5', ' 5'].map(parseDecimal)).toEqual(
      Array(9).fill(undefined),
    )
    expect([normalizeEntry(' .5 '), normalizeEntry('-.25'), normalizeEntry('see .5')]).toEqual([
      '0.5',
      '-0.25',
      'see .5',
    ])
  })

  it('treats different spellings of a number as equal', () => {
    const written = [
      '52.40',
      '052.4',
      '52.4',
      '52',
      '0.0',
      '-0',
      '-1.50',
      '100',
      '.5',
      '0.123456789012345678901234567890',
    ]
    expect(written.map(shortestText)).toEqual([
      '52.4',
      '52.4',
      '52.4',
      '52',
      '0',
      '0',
      '-1.5',
      '100',
      '0.5',
      '0.12345678901234567890123456789',
    ])
    expect(['<5', '1e3', 'N/A', ''].map(shortestText)).toEqual(Array(4).fill(undefined))
  })

  it('explains its questions', () => {
    const trig = rulesFor('TRIG')
    expect(checkEntry(trig, '345', { value: '156', daysAgo: 91, where: '#1000088' }).doubts).toEqual([
      { kind: 'delta', change: '+121%', message: 'TRIG was 156 mg/dL on #1000088, now 345. The limit is 100%.' },
    ])
    expect(checkEntry(trig, '345', { value: '0', daysAgo: 1 }).doubts).toEqual([])
    expect(checkEntry(trig, '900', null).doubts[0]?.message).toBe('TRIG 900 mg/dL is unusual: 25 to 800')
    expect(checkEntry(trig, '12000', null).refusal).toBe('TRIG 12000 mg/dL is not possible: 1 to 10000')
    expect(checkEntry(rulesFor('IGM'), 'MAYBE', null).refusal).toBe('IGM must be one of NEG, EQV, POS')
    expect(checkEntry(rulesFor('A1C'), '3', { value: '8', daysAgo: 10 }).doubts.map(({ change }) => change)).toEqual([
      undefined,
      '-5',
    ])
  })

  it('TEST-G9 COL-G10 prints the exact limit even if a collaborator has fewer decimals', () => {
    const ratio = rulesOf(rulesFor('CHOLHDL').test, { significantDigits: 0 })
    expect(rangesFor(ratio, 'MALE').map(rangeText)).toEqual(['≤ 3.5', '3.6–4.9', '≥ 5'])
    expect(enteredResult(ratio, 'MALE', '4.2')).toMatchObject({ reportable: '4', interpretation: 'Borderline' })
    const crp = rulesOf(rulesFor('HSCRP').test, { significantDigits: 0, reportLo: '0.2', reportHi: '20.5' })
    expect(enteredResult(crp, 'MALE', '0.1').reportable).toBe('<0.2')
    expect(enteredResult(crp, 'MALE', '21').reportable).toBe('>20.5')
  })

  it('formats the ranges for a patient', () => {
    expect(rangesFor(rulesFor('HSCRP'), 'MALE').map(rangeText)).toEqual(['≤ 0.9', '1.0–3.0', '≥ 3.1'])
    expect(rangesFor(rulesFor('HDL'), null)).toEqual([])
  })
})

describe('a limit that two bands share', () => {
  it('COL-G10 belongs to the less favorable band, whether low or high values are better', () => {
    const { test } = rulesFor('A1C')
    const rising = rulesOf(test, { mNormalHi: '5', mBorderLo: '5', mBorderHi: '9', mUnfavLo: '9' })
    const read = (rules: typeof rising, value: string) => enteredResult(rules, 'MALE', value).interpretation
    const labels = test.interpretationLabels
    expect(['4.9', '5.0', '8.9', '9.0'].map((value) => read(rising, value))).toEqual([
      labels?.normal,
      labels?.borderline,
      labels?.borderline,
      labels?.unfavorable,
    ])
    const falling = rulesOf(test, { mNormalLo: '9', mBorderLo: '5', mBorderHi: '9', mUnfavHi: '5' })
    expect(['9.1', '9.0', '5.0'].map((value) => read(falling, value))).toEqual([
      labels?.normal,
      labels?.borderline,
      labels?.unfavorable,
    ])
  })
})
