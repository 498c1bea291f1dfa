import type { QcChart } from '@lis/contract/quality-control.ts'
import { expect, it } from 'vitest'
import { comparisonsOf, describeLevel, eventsOf, lineText, pointsOf, sdText } from './chart-data.ts'

const day = (n: number) => `2026-11-${String(n).padStart(2, '0')}T12:00:00Z`
const target = { mean: '5.32', sd: '0.08', source: 'OWN' as const }

const run = (id: number, more: Partial<QcChart['runs'][number]> = {}): QcChart['runs'][number] => ({
  id,
  ranAt: day(id),
  state: 'IN',
  isVoid: 0,
  operator: 's.tech',
  broken: [],
  ...more,
})
const lot = (lotId: number, more: object = {}) => ({
  lotId,
  lotNumber: `L${lotId}`,
  materialName: 'Lyphochek',
  isParallel: 0 as 0 | 1,
  ...more,
})
const point = (runId: number, z: string | null, more: object = {}) => ({
  runId,
  lotId: 1,
  value: '5.40',
  z,
  state: 'IN' as const,
  ...more,
})
const chart = (more: Partial<QcChart>): QcChart => ({
  testCode: 'A1C',
  units: '%',
  runs: [],
  levels: [],
  actions: [],
  ...more,
})
const byId = (runs: QcChart['runs']) => new Map(runs.map((one) => [one.id, one]))

it('QC-09 draws each value by its distance from the mean, at the edge at most, with the rules it breaks', () => {
  const runs = [
    run(1),
    run(2, { broken: [{ rule: '1-3s', action: 'REJECT', levels: [2] }] }),
    run(3, { isVoid: 1, broken: [{ rule: '1-2s', action: 'WARN', levels: [2] }] }),
  ]
  const level = {
    level: 2,
    lots: [lot(1)],
    target,
    points: [point(1, '1.0000'), point(2, '7.5000', { state: 'REJECTED' }), point(3, null)],
  }
  const points = pointsOf(level, byId(runs))
  expect(points.map(({ z, y, rules, isVoid }) => [z, y, rules, isVoid])).toEqual([
    [1, 1, [], false],
    [7.5, 4.2, ['1-3s'], false],
    [null, null, [], true],
  ])
  expect(describeLevel(2, points)).toBe('Level 2: 2 values; 1 rejected, 0 with a warning; the last is 5.40, +7.5 SD')
})

it('QC-09 marks lot changes and corrective actions through all levels, each once', () => {
  const level = (number: number) => ({
    level: number,
    lots: [lot(1), lot(2)],
    target,
    points: [point(1, '0'), point(2, '0', { lotId: 2 }), point(3, '0', { lotId: 2 })],
  })
  const action = { id: 1, instrumentId: 1, testCode: 'A1C', cause: 'Drift', action: 'Calibrated', doneAt: day(5) }
  const found = eventsOf(
    chart({
      runs: [run(1), run(2), run(3)],
      levels: [level(1), level(2)],
      actions: [{ ...action, recordedAt: day(5), recordedBy: 'S. Tech', signedAt: null, signedBy: null }],
    }),
  )
  expect(found).toEqual([
    { at: Date.parse(day(2)), text: 'Lot L2' },
    { at: Date.parse(day(5)), text: 'Calibrated' },
  ])
})

it('QC-09 names the lines in the units of the test', () => {
  expect([3, 2, 0, -2].map((sds) => lineText(sds, target))).toEqual([
    '+3 SD 5.56',
    '+2 SD 5.48',
    'mean 5.32',
    '−2 SD 5.16',
  ])
  expect(lineText(1, null)).toBe('+1 SD')
  expect([sdText('-1.25'), sdText(null)]).toEqual(['−1.3', '–'])
})

it('QC-11 compares a parallel lot with the lot in use', () => {
  const level = {
    level: 1,
    lots: [lot(1), lot(2, { isParallel: 1 })],
    target,
    points: [
      point(1, '0', { value: '5.0' }),
      point(2, '0', { value: '5.2' }),
      point(3, '0', { lotId: 2, value: '5.61' }),
    ],
  }
  const [found] = comparisonsOf(chart({ runs: [run(1), run(2), run(3)], levels: [level] }))
  expect(found).toMatchObject({ level: 1, lotNumber: 'L2', inUse: { n: 2 }, parallel: { n: 1, mean: 5.61 } })
  expect(found?.differencePct).toBeCloseTo(10, 5)
})
