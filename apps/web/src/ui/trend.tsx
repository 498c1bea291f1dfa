import type { Limits } from '../lib/limits.ts'

interface TrendProps {
  /** The oldest first. */
  values: readonly number[]
  /** Shaded behind the line. */
  normal?: Limits | null
  /** Dashed across the chart. */
  target?: number
  /** What it shows; else its values. */
  label?: string
}

/** A small line chart of a few values for a cell. */
export const Trend = ({ values, normal, target, label }: TrendProps) => {
  const shown = [...values, normal?.low ?? [], normal?.high ?? [], target ?? []].flat()
  const least = Math.min(...shown)
  const span = Math.max(...shown) - least || 1
  const x = (index: number) => 3 + (70 * index) / (values.length - 1)
  const y = (value: number) => 17 - (14 * (value - least)) / span
  const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
  const last = values.length - 1
  const isOver = target !== undefined && (values[last] as number) > target
  return (
    <svg width="76" height="20" viewBox="0 0 76 20" role="img" aria-label={label ?? `Trend: ${values.join(', ')}`}>
      {normal && (
        <rect
          x="0"
          width="76"
          y={normal.high === null ? 0 : y(normal.high)}
          height={(normal.low === null ? 20 : y(normal.low)) - (normal.high === null ? 0 : y(normal.high))}
          fill="var(--n-200)"
        />
      )}
      {target !== undefined && (
        <path d={`M0 ${y(target)}h76`} stroke="var(--n-450)" strokeWidth="1" strokeDasharray="2 2" />
      )}
      <path d={line.join('')} fill="none" stroke="var(--n-500)" strokeWidth="1.25" strokeLinejoin="round" />
      <circle cx={x(last)} cy={y(values[last] as number)} r="2.25" fill={isOver ? 'var(--error-solid)' : 'var(--p)'} />
    </svg>
  )
}
