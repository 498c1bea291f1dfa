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
  it('keeps limits as exact text, whether sent as text or number', () => {
    const { colaReportLo, colaReportHi, colaMNormalLo } = rangeInput.parse({
      testId: '7',
      colaReportLo: -0.3,
      colaReportHi: ' 0.10 ',
      colaMNormalLo: '',
    })
    expect([colaReportLo, colaReportHi, colaMNormalLo]).toEqual(['-0.3', '0.10', null])
  })
  it.each(['1,5', '1e3', 'NaN', 'Infinity', '.', '1.', '--1', '0x10', Number.NaN, Number.POSITIVE_INFINITY, true, [1]])(
    'COL-G10 %j is not a number',
    (colaReportHi) => {
      expect(faults({ colaReportHi })).toEqual([['colaReportHi', 'Reportable Hi must be a number']])
    },
  )
  it('COL-G10 reports each error once and at its field', () => {
    expect(faults({ colaMNormalLo: 9, colaMNormalHi: 1 })).toEqual([['colaMNormalLo', 'Lo cannot be above Hi']])
    expect(faults({ colaMNormalHi: 10, colaMBorderLo: 5, colaMUnfavLo: 7 })).toEqual([
      ['colaMBorderLo', 'Ranges overlap'],
      ['colaMUnfavLo', 'Ranges overlap'],
    ])
    expect(faults({ colaMNormalHi: 9.9, colaMBorderLo: 10, colaMBorderHi: 20, colaMUnfavLo: 20.1 })).toEqual([])
  })
  it('COL-G10 refuses a gap between two bands and names its values', () => {
    expect(faults({ colaMNormalHi: 5, colaMBorderLo: 7, colaMBorderHi: 9 })).toEqual([
      ['colaMBorderLo', 'Values above 5 and below 7 are in no range: please close the gap'],
    ])
    // From high to low, as of HDL, and by the decimals that the limits have.
    expect(faults({ colaFNormalLo: '60', colaFBorderLo: '40', colaFBorderHi: '59', colaFUnfavHi: '38.9' })).toEqual([
      ['colaFBorderLo', 'Values above 38.9 and below 40 are in no range: please close the gap'],
    ])
    expect(faults({ colaMNormalHi: '5.6', colaMBorderLo: '5.7', colaMBorderHi: '6.4', colaMUnfavLo: '6.5' })).toEqual(
      [],
    )
    // The finer of the two limits decides.
    const gap = 'Values above 5.65 and below 5.7 are in no range: please close the gap'
    expect(faults({ colaMNormalHi: '5.65', colaMBorderLo: '5.7' })).toEqual([['colaMBorderLo', gap]])
    expect(faults({ colaMNormalHi: '5.6', colaMBorderLo: '5.65' }).map(([field]) => field)).toEqual(['colaMBorderLo'])
    // Without a borderline band the other two are neighbors.
    expect(faults({ colaMNormalHi: 49, colaMUnfavLo: 50 })).toEqual([])
    expect(faults({ colaMNormalHi: '0.1', colaMBorderLo: '0.2', colaMBorderHi: '0.3', colaMUnfavLo: '0.4' })).toEqual(
      [],
    )
  })
  it('COL-G10 lets two bands share a limit, and nothing more', () => {
    expect(faults({ colaMNormalHi: 5, colaMBorderLo: 5, colaMBorderHi: 9, colaMUnfavLo: '9.0' })).toEqual([])
    expect(faults({ colaMNormalHi: 5, colaMBorderLo: '4.9', colaMBorderHi: 9 })).toEqual([
      ['colaMBorderLo', 'Ranges overlap'],
    ])
    expect(faults({ colaMNormalLo: 3, colaMBorderHi: 8 })).toEqual([['colaMBorderLo', 'Ranges overlap']])
  })
  it('COL-G8 may be sent alone or in a list', () => {
    expect(rangesInput.parse({ colaRanges: { testId: 1 } }).colaRanges).toHaveLength(1)
    expect(rangesInput.parse({ colaRanges: [{ testId: 1 }, { testId: 2 }] }).colaRanges).toHaveLength(2)
  })
})
