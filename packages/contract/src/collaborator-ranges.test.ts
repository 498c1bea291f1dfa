import { describe, expect, it } from 'vitest'
import { rangeInput, rangeLabels, rangesInput } from './collaborator-ranges.ts'

const faults = (range: Record<string, unknown>) =>
  rangeInput.safeParse({ testId: 1, ...range }).error?.issues.map(({ path, message }) => [path.join('.'), message]) ??
  []

describe('a range', () => {
  it('COL-G9 has labels for every limit', () => {
    expect(Object.keys(rangeLabels)).toHaveLength(5 + 14)
    expect([rangeLabels.colaReportLo, rangeLabels.colaFUnfavHi]).toEqual(['Reportable Lo', 'Female Unfavorable Hi'])
  })
  it('keeps limits as exact text, whatever they were typed as', () => {
    const { colaReportLo, colaReportHi, colaMNormalLo } = rangeInput.parse({
      testId: '7',
      colaReportLo: -0.3,
      colaReportHi: ' 0.10 ',
      colaMNormalLo: '',
    })
    expect([colaReportLo, colaReportHi, colaMNormalLo]).toEqual(['-0.3', '0.10', null])
  })
  it.each(['1,5', '1e3', 'NaN', 'Infinity', '.', '1.', '--1', '0x10', Number.NaN, Number.POSITIVE_INFINITY, true, [1]])(
    'COL-G10 %j is no number',
    (colaReportHi) => {
      expect(faults({ colaReportHi })).toEqual([['colaReportHi', 'Reportable Hi must be a number']])
    },
  )
  it('COL-G10 says each fault once and at its field', () => {
    expect(faults({ colaMNormalLo: 9, colaMNormalHi: 1 })).toEqual([['colaMNormalLo', 'Lo cannot be above Hi']])
    expect(faults({ colaMNormalHi: 10, colaMBorderLo: 5, colaMUnfavLo: 7 })).toEqual([
      ['colaMBorderLo', 'Ranges overlap'],
      ['colaMUnfavLo', 'Ranges overlap'],
    ])
    expect(faults({ colaMNormalHi: 9.9, colaMBorderLo: 10, colaMBorderHi: 20, colaMUnfavLo: 20.1 })).toEqual([])
  })
  it('COL-G8 comes alone or in a list', () => {
    expect(rangesInput.parse({ colaRanges: { testId: 1 } }).colaRanges).toHaveLength(1)
    expect(rangesInput.parse({ colaRanges: [{ testId: 1 }, { testId: 2 }] }).colaRanges).toHaveLength(2)
  })
})
