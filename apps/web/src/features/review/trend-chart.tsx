import type { ReviewResult } from '@lis/contract/instrument-results.ts'
import { formatDateInZone } from '../../lib/formats.ts'

const [width, height, top, bottom, side] = [348, 120, 18, 18, 28]

/** The patient's earlier results over time and the one that waits. */
export const TrendChart = ({ row }: { row: ReviewResult }) => {
  const points = [
    ...row.trend
      .map(({ value, at }) => ({ value, at: Date.parse(at), date: formatDateInZone(at, row.labZone) }))
      .reverse(),
    { value: row.value, at: Date.parse(row.measuredAt ?? row.receivedAt), date: 'now' },
  ]
  const values = points.map(({ value }) => Number(value))
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const [first = 0, last = 0] = [points[0]?.at, points.at(-1)?.at]
  const x = (at: number) => side + ((width - 2 * side) * (at - first)) / (last - first || 1)
  const y = (value: number) => height - bottom - ((height - top - bottom) * (value - least)) / (most - least || 1)
  const places = points.map((point) => ({ ...point, x: x(point.at), y: y(Number(point.value)) }))
  const before = places.slice(0, -1)
  const [previous, now] = [before.at(-1), places.at(-1)]
  return (
    <svg
      width="100%"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Trend: ${points.map(({ value, date }) => `${value} (${date})`).join(', ')}`}
      style={{ display: 'block', fontSize: 10 }}
    >
      <path
        d={before
          .map((place, index) => `${index === 0 ? 'M' : 'L'}${place.x.toFixed(1)} ${place.y.toFixed(1)}`)
          .join('')}
        fill="none"
        stroke="var(--n-500)"
        strokeWidth="1.5"
      />
      {previous && now && (
        <line
          x1={previous.x}
          y1={previous.y}
          x2={now.x}
          y2={now.y}
          stroke="var(--warning)"
          strokeWidth="1.5"
          strokeDasharray="3 3"
        />
      )}
      {places.map((place, index) => {
        const isNow = index === places.length - 1
        return (
          <g key={place.at}>
            <circle
              cx={place.x}
              cy={place.y}
              r={isNow ? 4 : 3}
              fill={isNow ? 'var(--warning)' : 'var(--surface)'}
              stroke={isNow ? 'var(--warning)' : 'var(--n-600)'}
              strokeWidth="1.5"
            />
            <text
              x={place.x}
              y={place.y - 8}
              textAnchor="middle"
              fill={isNow ? 'var(--warning)' : 'var(--text-2)'}
              fontWeight={isNow ? 700 : 400}
            >
              {place.value}
            </text>
          </g>
        )
      })}
      {[before[0], now].map(
        (place) =>
          place && (
            <text key={place.at} x={place.x} y={height - 4} textAnchor="middle" fill="var(--text-3)">
              {place.date}
            </text>
          ),
      )}
    </svg>
  )
}
