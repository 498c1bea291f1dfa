import type { ReportChart as Chart } from '@lis/contract/reports-pages.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { type Ref, useEffect, useRef, useState } from 'react'
import { coloursOf } from './chart-colours.ts'

const Frame = styled('figure')({
  margin: 0,
  minWidth: 0,
  '& svg': { display: 'block', width: '100%', overflow: 'visible' },
  // Also while the table is shown, the chart can be saved as an image.
  '& .away': { position: 'fixed', left: -10000, top: 0, width: 'var(--width)' },
  '& .legend': {
    display: 'flex',
    flexWrap: 'wrap',
    gap: '2px 12px',
    margin: '0 0 6px',
    padding: 0,
    listStyle: 'none',
    fontSize: 11,
    color: 'var(--text-2)',
  },
  '& .part': { margin: '6px 0 0', fontSize: 11, color: 'var(--text-3)' },
  '& .legend i': { display: 'inline-block', width: 10, height: 10, marginRight: 5, verticalAlign: -1 },
})
const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  fontSize: 12,
  '& th': { textAlign: 'left', fontWeight: 600, color: 'var(--text-2)' },
  '& th, & td': { padding: '4px 8px', borderBottom: '1px solid var(--line)' },
  '& .num': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
})

const fontSize = 11
const letterWidth = 5.8
const barHeight = 12
const gap = 8
const axisHeight = 30
/** Space for the value after the longest bar. */
const valueWidth = 52

const shown = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 2 })

/** A round step, so that there are two to five lines. */
const stepOf = (largest: number): number => {
  const power = 10 ** Math.floor(Math.log10(largest || 1))
  return [0.2, 0.5, 1, 2].map((part) => part * power).find((step) => largest / step <= 5) ?? power
}

/** A summary of the chart for screen readers; the table has the numbers. */
const sentenceOf = (title: string, { series, points, isStacked, unit }: Chart): string => {
  const sizeOf = (values: readonly number[]) =>
    isStacked ? values.reduce((sum, value) => sum + value, 0) : (values[0] ?? 0)
  const [largest] = points.toSorted((one, other) => sizeOf(other.values) - sizeOf(one.values))
  if (!largest) return `${title}: none in this period.`
  const what = isStacked || series.length === 1 ? '' : `${series[0]}, `
  return `${title}, in ${unit.toLowerCase()}: ${points.length} ${points.length === 1 ? 'bar' : 'bars'}. The largest is ${largest.label}, ${what}${shown(sizeOf(largest.values))}.`
}

interface BarsChartProps {
  title: string
  chart: Chart
  /** In a card only the first bars; all of them otherwise. */
  most?: number
  hasTable?: boolean
  svgRef?: Ref<SVGSVGElement>
}

/** Horizontal bars from zero, with their values, an axis with its unit, and the same numbers as a table. */
export const BarsChart = ({
  title,
  chart,
  most = Number.POSITIVE_INFINITY,
  hasTable = true,
  svgRef,
}: BarsChartProps) => {
  const [isTable, setTable] = useState(false)
  const frame = useRef<HTMLElement>(null)
  const width = useWidth(frame)
  const { series, isStacked } = chart
  const colours = coloursOf(series.length, isStacked)
  return (
    <Frame ref={frame} aria-label={`Chart of ${title}`}>
      {series.length > 1 && !isTable && (
        <ul className="legend">
          {series.map((name, index) => (
            <li key={name}>
              <i style={{ background: colours[index] }} />
              {name}
            </li>
          ))}
        </ul>
      )}
      {isTable && <ChartTable title={title} chart={chart} />}
      {(!isTable || svgRef) && (
        <div
          className={isTable ? 'away' : undefined}
          aria-hidden={isTable || undefined}
          style={{ '--width': `${width}px` } as object}
        >
          <Bars title={title} chart={{ ...chart, points: chart.points.slice(0, most) }} width={width} svgRef={svgRef} />
        </div>
      )}
      {!isTable && chart.points.length > most && (
        <p className="part">
          The first {most} of {chart.points.length}. The report has all of them.
        </p>
      )}
      {hasTable && (
        <Button size="small" aria-pressed={isTable} onClick={() => setTable(!isTable)} sx={{ mt: 1 }}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </Button>
      )}
    </Frame>
  )
}

const useWidth = (ref: { current: HTMLElement | null }) => {
  const [width, setWidth] = useState(480)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return width
}

const Bars = ({
  title,
  chart,
  width,
  svgRef,
}: {
  title: string
  chart: Chart
  width: number
  svgRef: Ref<SVGSVGElement> | undefined
}) => {
  const { series, points, isStacked, unit } = chart
  const colours = coloursOf(series.length, isStacked)
  const longest = Math.max(0, ...points.map(({ label }) => label.length)) * letterWidth
  // Long names are above their bars, so that none is truncated.
  const isBeside = longest <= width * 0.42
  const left = isBeside ? longest + 8 : 0
  const room = Math.max(60, width - left - valueWidth)
  const totalOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  const largest = Math.max(0, ...points.map(({ values }) => (isStacked ? totalOf(values) : Math.max(...values))))
  const step = stepOf(largest)
  const top = Math.max(step, Math.ceil(largest / step) * step)
  const x = (value: number) => left + (Math.max(0, value) / top) * room
  const bars = isStacked ? 1 : Math.max(1, series.length)
  const linesOf = (label: string) => (isBeside || label.length * letterWidth <= width ? [label] : label.split(' · '))
  const lineHeight = fontSize + 3
  const above = isBeside ? 0 : Math.max(1, ...points.map(({ label }) => linesOf(label).length)) * lineHeight + 2
  const rowHeight = bars * (barHeight + 2) + gap + above
  const bottom = points.length * rowHeight
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  const text = { fontSize, fontFamily: 'inherit' }
  return (
    <svg
      ref={svgRef}
      role="img"
      aria-label={sentenceOf(title, { ...chart, points })}
      viewBox={`0 0 ${width} ${bottom + axisHeight}`}
      height={bottom + axisHeight}
      preserveAspectRatio="xMinYMin meet"
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={x(tick)} x2={x(tick)} y1={0} y2={bottom} stroke={tick === 0 ? 'var(--text-3)' : 'var(--line)'} />
          <text
            x={x(tick)}
            y={bottom + 13}
            textAnchor={tick === 0 ? 'start' : 'middle'}
            fill="var(--text-3)"
            style={text}
          >
            {shown(tick)}
          </text>
        </g>
      ))}
      <text x={left} y={bottom + 26} fill="var(--text-3)" style={text}>
        {unit}
      </text>
      {points.map(({ label, values }, row) => {
        const y = row * rowHeight
        const first = y + above
        const lines = linesOf(label)
        return (
          <g key={label}>
            <text
              x={isBeside ? left - 8 : 0}
              y={isBeside ? y + (bars * (barHeight + 2)) / 2 + 4 : y + fontSize}
              textAnchor={isBeside ? 'end' : 'start'}
              fill="var(--text-2)"
              style={text}
            >
              {lines.map((line, index) => (
                <tspan
                  key={line}
                  x={isBeside ? left - 8 : 0}
                  dy={index === 0 ? above && above - 2 - lines.length * lineHeight : lineHeight}
                >
                  {line}
                </tspan>
              ))}
            </text>
            {isStacked
              ? values.map((value, index) => (
                  <rect
                    key={series[index]}
                    x={x(totalOf(values.slice(0, index)))}
                    y={first}
                    width={Math.max(0, x(value) - left)}
                    height={barHeight}
                    fill={colours[index]}
                  >
                    <title>{`${series[index]}: ${shown(value)}`}</title>
                  </rect>
                ))
              : values.map((value, index) => (
                  <rect
                    key={series[index]}
                    x={left}
                    y={first + index * (barHeight + 2)}
                    width={Math.max(0, x(value) - left)}
                    height={barHeight}
                    fill={colours[index]}
                  >
                    <title>{`${series[index]}: ${shown(value)}`}</title>
                  </rect>
                ))}
            {(isStacked ? [totalOf(values)] : values).map((value, index) => (
              <text
                // biome-ignore lint/suspicious/noArrayIndexKey: one per series, in their order
                key={index}
                x={x(value) + 5}
                y={first + index * (barHeight + 2) + barHeight - 2}
                fill="var(--text)"
                style={{ ...text, fontWeight: 600 }}
              >
                {shown(value)}
              </text>
            ))}
          </g>
        )
      })}
    </svg>
  )
}

const ChartTable = ({ title, chart: { series, points } }: { title: string; chart: Chart }) => (
  <Table aria-label={`Numbers of ${title}`}>
    <thead>
      <tr>
        <th scope="col">Name</th>
        {series.map((name) => (
          <th key={name} scope="col" className="num">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {points.map(({ label, values }) => (
        <tr key={label}>
          <td>{label}</td>
          {values.map((value, index) => (
            <td key={series[index]} className="num">
              {shown(value)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </Table>
)
