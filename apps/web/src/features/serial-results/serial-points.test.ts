import { expect, it } from 'vitest'
import { serialPoints } from './serial-points.ts'

const row = (result: string) => ({
  reqId: 1000001,
  result,
  processDate: '2026-11-01T10:00:00Z',
  isDiabetic: null,
  isFamilyHistory: null,
})

it('PAT-101 PAT-102 draws values beyond the reportable limits at the limit, and neither N/A nor text that starts with a number', () => {
  const shown = ['41.5', '>80.0', 'N/A', '<10', '2 runs failed', '-0.4'].map(row)
  expect(serialPoints(shown).map(({ value, row: { result } }) => [value, result])).toEqual([
    [41.5, '41.5'],
    [80, '>80.0'],
    [10, '<10'],
    [-0.4, '-0.4'],
  ])
})
