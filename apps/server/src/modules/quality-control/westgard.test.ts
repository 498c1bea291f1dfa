import { type ChosenRule, defaultQcRules, type QcRule, qcRules } from '@lis/contract/qc-rules.ts'
import { decimalOf } from '@lis/contract/results/decimal.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ControlRun, evaluateRun, zOf } from './westgard.ts'

const rejecting = (...rules: QcRule[]): ChosenRule[] => rules.map((rule) => ({ rule, action: 'REJECT' }))
const all = rejecting(...qcRules)

/** Runs in order of time; each is a list of z by level, null where it was not evaluated, undefined where it was not measured. */
type Zs = readonly (string | null | undefined)[]
const toRun = (zs: Zs, run: number): ControlRun =>
  zs.flatMap((z, index) =>
    z === undefined
      ? []
      : [{ id: run * 10 + index + 1, level: index + 1, lotId: index + 1, z: z === null ? null : decimalOf(z) }],
  )
const evaluate = (runs: readonly Zs[], rules: readonly ChosenRule[] = all) => {
  const [newest, ...earlier] = runs.map(toRun).reverse() as [ControlRun, ...ControlRun[]]
  return evaluateRun(newest, earlier, rules)
}
const brokenIn = (runs: readonly Zs[], rules = all) =>
  evaluate(runs, rules)
    .broken.map(({ rule }) => rule)
    .join(' ')
const times = (n: number, z: string): Zs[] => Array.from({ length: n }, () => [z])

describe('QC-04 the Westgard rules, in sequences checked by hand', () => {
  it.each<[name: string, runs: Zs[], broken: string]>([
    ['nothing', [['0.5'], ['-0.5'], ['1.9']], ''],
    ['one value above 2 SD', [['2.01']], '1-2s'],
    ['one value below -2 SD', [['-2.01']], '1-2s'],
    ['one value above 3 SD breaks 1-2s too', [['3.01']], '1-2s 1-3s'],
    ['two of a level above 2 SD', [['2.1'], ['2.2']], '1-2s 2-2s 2of3-2s'],
    ['two of a level on two sides', [['2.1'], ['-2.2']], '1-2s'],
    ['two levels of one run above 2 SD', [['2.1', '2.2']], '1-2s 2-2s'],
    [
      'two levels of an earlier run',
      [
        ['2.1', '2.2'],
        ['0', '0'],
      ],
      '',
    ],
    [
      'the same level in another run, another level in this one',
      [
        ['2.1', '0'],
        ['0', '2.1'],
      ],
      '1-2s',
    ],
    ['one level above, another below', [['2.1', '-2.1']], '1-2s R-4s'],
    ['a distance of 4 SD alone', [['2.5', '-1.9']], '1-2s'],
    [
      'above and below between runs',
      [
        ['2.1', '0'],
        ['0', '-2.1'],
      ],
      '1-2s',
    ],
    ['four of a level above 1 SD', times(4, '1.1'), '4-1s 3-1s'],
    ['three of a level above 1 SD', times(3, '1.1'), '3-1s'],
    [
      'two runs of two levels above 1 SD',
      [
        ['1.1', '1.2'],
        ['1.3', '1.4'],
      ],
      '4-1s',
    ],
    ['one run of four levels above 1 SD', [['1.1', '1.2', '1.3', '1.4']], '4-1s'],
    ['one run of three levels above 1 SD', [['1.1', '1.2', '1.3']], '3-1s'],
    [
      '4-1s needs levels that divide 4',
      [
        ['1.1', '1.1', '0'],
        ['1.1', '1.1', '1.1'],
      ],
      '3-1s',
    ],
    ['across needs the same levels in each run', [['1.1'], ['1.3', '1.4']], ''],
    [
      'across needs a value of each level',
      [
        ['1.1', null],
        ['1.3', '1.4'],
      ],
      '',
    ],
    ['six on one side', times(6, '0.1'), '6-x'],
    ['eight on one side', times(8, '-0.1'), '6-x 8-x'],
    ['ten on one side', times(10, '0.1'), '10-x 6-x 8-x'],
    ['twelve on one side', times(12, '0.1'), '10-x 6-x 8-x 12-x'],
    ['five runs of two levels on one side', Array.from({ length: 5 }, () => ['0.1', '0.2']), '10-x 6-x 8-x'],
    [
      'two runs of three levels on one side',
      [
        ['0.1', '0.2', '0.3'],
        ['0.3', '0.2', '0.1'],
      ],
      '6-x',
    ],
    ['two of three above 2 SD, the newest one of them', [['2.1'], ['0'], ['2.1']], '1-2s 2of3-2s'],
    ['two of three above 2 SD, the newest not', [['2.1'], ['2.1'], ['0']], ''],
    ['two so far, both above', [['2.1'], ['2.1']], '1-2s 2-2s 2of3-2s'],
    ['two of three levels', [['2.1', '0', '2.1']], '1-2s 2-2s 2of3-2s'],
    ['seven rising', ['-1.5', '-1', '-0.5', '0', '0.2', '0.3', '0.4'].map((z) => [z]), '7-T'],
    ['seven falling', ['1.5', '1', '0.5', '0', '-0.2', '-0.3', '-0.4'].map((z) => [z]), '7-T'],
    ['seven with two equal', ['-1.5', '-1', '-0.5', '0', '0', '0.3', '0.4'].map((z) => [z]), ''],
    ['six rising', ['-1', '-0.5', '0', '0.2', '0.3', '0.4'].map((z) => [z]), ''],
    [
      'a level that was left out in between still counts',
      [
        ['2.1', '0'],
        [undefined, '0'],
        ['2.1', '0'],
      ],
      '1-2s 2-2s 2of3-2s',
    ],
  ])('%s', (_, runs, broken) => {
    expect(brokenIn(runs)).toBe(broken)
  })

  it('names each rule once, with the levels and values that break it', () => {
    const { broken } = evaluate(
      [
        ['2.1', '0'],
        ['2.2', '2.3'],
      ],
      rejecting('2-2s'),
    )
    expect(broken).toEqual([{ rule: '2-2s', action: 'REJECT', levels: [1, 2], valueIds: [1, 11, 12] }])
  })
  it('evaluates the chosen rules only, and 1-2s is no gate for the others', () => {
    expect(brokenIn(times(10, '0.1'), [...defaultQcRules])).toBe('10-x')
    expect(evaluate([['2.5']], [{ rule: '1-2s', action: 'WARN' }]).state).toBe('WARNING')
  })
  it('starts again with a new lot', () => {
    const [newest, earlier] = [toRun(['2.2'], 1), toRun(['2.1'], 0).map((value) => ({ ...value, lotId: 99 }))]
    expect(evaluateRun(newest, [earlier], rejecting('2-2s')).broken).toEqual([])
  })
})

describe('QC-05 limits', () => {
  it.each([
    ['exactly 2 SD', '2', ''],
    ['a little more', '2.000000000000000000000000000001', '1-2s'],
    ['exactly 3 SD', '3', '1-2s'],
    ['exactly -2 SD', '-2', ''],
  ])('%s', (_, z, broken) => {
    expect(brokenIn([[z]])).toBe(broken)
  })
  it('exactly the mean is on neither side', () => {
    expect(brokenIn([...times(9, '0.1'), ['0']])).toBe('')
    expect(brokenIn([...times(5, '0.1'), ['0'], ...times(5, '0.1')])).toBe('')
  })
  it('compares unrounded: with a mean of 0.1 and an SD of 0.1, 0.3 is exactly 2 SD', () => {
    const z = zOf('0.3', '0.1', '0.1')
    expect(evaluateRun([{ id: 1, level: 1, lotId: 1, z }], [], all).state).toBe('IN')
  })
  it('a value without target is not evaluated, never in control, unless another one is rejected', () => {
    expect(evaluate([[null]]).state).toBe('NOT_EVALUATED')
    expect(evaluate([['0', null]]).state).toBe('NOT_EVALUATED')
    expect(evaluate([['2.5', null]], [...defaultQcRules]).state).toBe('NOT_EVALUATED')
    expect(evaluate([['3.5', null]], [...defaultQcRules]).state).toBe('REJECTED')
    expect(evaluate([['2.1'], [null], ['2.1']], rejecting('2-2s')).state).toBe('REJECTED')
  })
})

describe('properties', () => {
  const zText = fc.integer({ min: -350, max: 350 }).map((n) => (n / 100).toFixed(2))
  const history = fc
    .integer({ min: 1, max: 4 })
    .chain((levels) =>
      fc.array(fc.array(zText, { minLength: levels, maxLength: levels }), { minLength: 1, maxLength: 30 }),
    )
  const mirrored = (runs: readonly Zs[]) =>
    runs.map((zs) => zs.map((z) => (z ? (z.startsWith('-') ? z.slice(1) : `-${z}`) : z)))

  it('QC-12 nothing before the last twelve runs matters', () => {
    fc.assert(fc.property(history, (runs) => void expect(brokenIn(runs)).toBe(brokenIn(runs.slice(-12)))))
  })
  it('QC-04 high and low are treated alike', () => {
    fc.assert(fc.property(history, (runs) => void expect(brokenIn(mirrored(runs))).toBe(brokenIn(runs))))
  })
  it('QC-04 a value of the newest run always takes part', () => {
    fc.assert(
      fc.property(history, (runs) => {
        const newest = toRun(runs.at(-1) as Zs, runs.length - 1).map(({ id }) => id)
        for (const { valueIds } of evaluate(runs).broken) expect(valueIds.some((id) => newest.includes(id))).toBe(true)
      }),
    )
  })
  it('QC-05 values within 1 SD that change sides never break a rule but the trend', () => {
    const calm = fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(calm, (values) => {
        const runs = values.map((value, index) => [`${index % 2 ? '-' : ''}0.${String(value).padStart(2, '0')}`])
        expect(brokenIn(runs)).toBe('')
      }),
    )
  })
})
