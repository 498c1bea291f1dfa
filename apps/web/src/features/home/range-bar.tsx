import { styled } from '@mui/material/styles'
import { type Limits, readLimits, readResult } from '../../lib/limits.ts'

const Bar = styled('div')({
  position: 'relative',
  height: 6,
  borderRadius: 2,
  overflow: 'clip',
  overflowClipMargin: 4,
  background: 'var(--error-line)',
  '& i': { position: 'absolute', top: 0, bottom: 0 },
  '& .near': { background: 'var(--warning-line)' },
  '& .inside': { background: 'var(--n-300)' },
  '& u': { position: 'absolute', top: -3, bottom: -3, width: 2, background: 'var(--text-strong)' },
})

interface RangeBarProps {
  result: string
  units: string | null
  /** As the report prints them. */
  normal: string
  borderline: string
}

/** Where a result is: the normal range shaded, the borderline one beside it, and a mark at the value. Nothing without numbers. */
export const RangeBar = ({ result, units, normal: normalText, borderline: borderlineText }: RangeBarProps) => {
  const value = readResult(result)
  const normal = readLimits(normalText)
  if (value === null || normal === null) return null
  const borderline = readLimits(borderlineText)
  const scale = scaleOf([normal, borderline], value)
  return (
    <Bar
      role="img"
      aria-label={`${result}${units ? ` ${units}` : ''}, normal ${normalText}${borderlineText && `, borderline ${borderlineText}`}`}
    >
      {borderline && <i className="near" style={scale.between(besideNormal(borderline, normal))} />}
      <i className="inside" style={scale.between(normal)} />
      <u style={{ left: `calc(${scale.at(value)}% - 1px)` }} />
    </Bar>
  )
}

/** 'Normal <= 99, borderline 100 - 129': nothing is between the two. */
const besideNormal = ({ low, high }: Limits, normal: Limits): Limits => ({
  low: low !== null && normal.high !== null && low >= normal.high ? normal.high : low,
  high: high !== null && normal.low !== null && high <= normal.low ? normal.low : high,
})

/** Percent of the width. A value far outside is at the edge, so that the ranges stay wide enough to be seen. */
const scaleOf = (ranges: readonly (Limits | null)[], value: number) => {
  const limits = ranges.flatMap((range) => [range?.low ?? [], range?.high ?? []].flat())
  const [least, most] = [Math.min(...limits), Math.max(...limits)]
  const span = most - least || Math.abs(most) || 1
  const margin = span * 0.5
  const start = least - Math.min(margin + Math.max(0, least - value), span)
  const end = most + Math.min(margin + Math.max(0, value - most), span)
  const at = (number: number) => Math.min(98, Math.max(2, (100 * (number - start)) / (end - start)))
  const between = ({ low, high }: Limits) => ({
    left: low === null ? 0 : `${at(low)}%`,
    right: high === null ? 0 : `${100 - at(high)}%`,
  })
  return { at, between }
}
