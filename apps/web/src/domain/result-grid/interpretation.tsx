import type { ReqTest } from '@lis/contract/requisition-tests.ts'
import { displayedResult, rangeText } from '@lis/contract/results/display.ts'
import { notCalculatedText } from '@lis/contract/results/engine.ts'
import { styled } from '@mui/material/styles'
import { DiamondIcon, TriangleIcon } from './grid-icons.tsx'
import type { GridCell } from './grid-store.ts'

/** A word in the colour of its range. */
export const RangeName = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 5,
  fontWeight: 600,
  '& > svg': { flex: 'none' },
  '&.nor': { color: 'var(--text-3)', fontWeight: 400 },
  '&.bor': { color: 'var(--warning)' },
  '&.unf': { color: 'var(--error)' },
})

const levels = {
  normal: { className: 'nor', Glyph: null },
  borderline: { className: 'bor', Glyph: DiamondIcon },
  unfavorable: { className: 'unf', Glyph: TriangleIcon },
} as const

/** What is said of a test without a result. */
export const missingResult = ({ isCalculated }: ReqTest) => (isCalculated === 1 ? notCalculatedText : 'No result')

interface InterpretationProps {
  row: ReqTest
  /** Unsaved input in the grid. */
  cell?: GridCell | undefined
  isUnreported?: boolean
}

/** The name of the range, with its own icon: colour is never the only sign. */
export const Interpretation = ({ row, cell, isUnreported = false }: InterpretationProps) => {
  if (cell?.status === 'failed') return <RangeName className="unf">Not saved</RangeName>
  if (cell?.problem?.doubts.some(({ kind }) => kind === 'text'))
    return <RangeName className="unf">Not a number</RangeName>
  if (isUnreported) return <RangeName className="nor">Not reported</RangeName>
  if (row.isResulted === 0)
    return row.testFailCodes.length > 0 ? null : <RangeName className="nor">{missingResult(row)}</RangeName>
  if (!row.interpretation) return null
  const level = row.band && levels[row.band]
  if (!level) return <>{row.interpretation}</>
  const { className, Glyph } = level
  return (
    <RangeName className={className}>
      {Glyph && <Glyph size={12} />}
      {row.interpretation}
    </RangeName>
  )
}

const names = { normal: 'Normal', borderline: 'borderline', unfavorable: 'unfavorable' } as const
const width = 1 / 3

/** The position of the value among its ranges. Decorative; the columns beside it contain the numbers. */
export const RangeBar = ({ row }: { row: ReqTest }) => {
  if (row.ranges.length === 0) return null
  const title = row.ranges.map((range) => `${names[range.band]} ${rangeText(range)}`).join(', ')
  const place = positionOf(row)
  return (
    <div className="rng" title={title}>
      {row.ranges.map(({ band }) => (
        <i key={band} className={band} />
      ))}
      {place !== null && <u style={{ left: `calc(${(place * 100).toFixed(1)}% - 1px)` }} />}
    </div>
  )
}

/** All ranges have the same width; the position within one is proportional, and an open end counts as one more range. */
const positionOf = ({ band, ranges, result, significantDigits, options }: ReqTest): number | null => {
  const index = ranges.findIndex((range) => range.band === band)
  const value = Number(displayedResult({ result: result ?? null, significantDigits, options }))
  if (index < 0 || !Number.isFinite(value)) return null
  const range = ranges[index]
  const lo = range?.lo === null ? null : Number(range?.lo)
  const hi = range?.hi === null ? null : Number(range?.hi)
  const span = lo !== null && hi !== null ? hi - lo : Math.abs(lo ?? hi ?? 1) || 1
  const from = lo ?? (hi ?? 0) - span
  const part = Math.min(0.92, Math.max(0.08, (value - from) / (span || 1)))
  // Ranges are ordered from best to worst; if more is better, the value moves the other way.
  const first = ranges[0]
  const isRising = first?.lo === null || ranges.length < 2
  const share = ranges.length === 3 ? width : 1 / ranges.length
  return (index + (isRising ? part : 1 - part)) * share
}
