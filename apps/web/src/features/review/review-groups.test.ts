import type { ReviewResult } from '@lis/contract/instrument-results.ts'
import { describe, expect, it } from 'vitest'
import { countKinds, groupRuns, isOfKind, kindOf, numbersOf, signed, whyNotAccepted } from './review-groups.ts'

const row = (over: Partial<ReviewResult>) =>
  ({ id: 1, instrumentId: 1, messageId: 1, qcState: 'IN', reasons: [], testCode: 'CHOL', ...over }) as ReviewResult
const because = (...codes: ReviewResult['reasons'][number]['code'][]) => codes.map((code) => ({ code, text: code }))

describe('the review list', () => {
  it('BENCH-20 puts the results of a run together, the run with a critical one first, with the worst state of control', () => {
    const runs = groupRuns([
      row({ id: 5, messageId: 2, isCritical: 1 }),
      row({ id: 1, messageId: 1, qcState: 'DUE' }),
      row({ id: 2, messageId: 1, qcState: 'OUT' }),
      row({ id: 3, messageId: 1, qcState: null }),
      row({ id: 4, messageId: 2 }),
    ])
    expect(runs.map(({ messageId, rows, qcState }) => [messageId, rows.map(({ id }) => id), qcState])).toEqual([
      [2, [5, 4], 'IN'],
      [1, [1, 2, 3], 'OUT'],
    ])
  })

  it('counts a result under each kind of its reasons, and kinds that do not occur not at all', () => {
    const rows = [row({ reasons: because('DELTA', 'QC_DUE') }), row({ reasons: because('QC_OUT', 'QC_DUE') })]
    expect(countKinds(rows).map(({ label, count }) => [label, count])).toEqual([
      ['Delta', 1],
      ['QC', 2],
    ])
    expect(rows.map((one) => isOfKind(one, 'delta'))).toEqual([true, false])
    expect(kindOf('UNKNOWN_SPECIMEN')).toBe('place')
  })

  it('BENCH-20 offers no acceptance while the test is out of control, and none of what has no value', () => {
    expect(whyNotAccepted(row({ qcState: 'OUT' }))).toBe(
      'Quality control of CHOL is out of control: a run in control is needed first',
    )
    expect(whyNotAccepted(row({ reasons: because('DELTA', 'NO_VALUE') }))).toBe('NO_VALUE')
    expect(whyNotAccepted(row({ qcState: 'DUE', reasons: because('DELTA') }))).toBeUndefined()
  })

  it('draws a line of numbers alone, the oldest first', () => {
    const trend = [
      { value: '5.2', at: '2026-11-02' },
      { value: '4.8', at: '2026-10-02' },
    ]
    expect(numbersOf(row({ trend, value: '5.6' }))).toEqual([4.8, 5.2, 5.6])
    expect(numbersOf(row({ trend, value: 'N/A' }))).toEqual([])
  })

  it('shows the sign of a difference', () => {
    expect([signed('3.4'), signed('-0.2')]).toEqual(['+3.4', '−0.2'])
  })
})
