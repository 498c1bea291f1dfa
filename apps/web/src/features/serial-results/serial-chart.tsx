import { styled } from '@mui/material/styles'
import { type FocusEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { CartesianGrid, type DotItemDotProps, Line, LineChart, ResponsiveContainer, XAxis, YAxis } from 'recharts'
import { formatDateInZone } from '../../lib/formats.ts'
import { VisuallyHidden } from '../../ui/table/table-frame.tsx'
import { Timestamp, useZone } from '../../ui/timestamp.tsx'
import type { Point } from './serial-points.ts'

const Tip = styled('div')({
  position: 'absolute',
  zIndex: 2,
  transform: 'translateY(-50%)',
  padding: '8px 12px',
  borderRadius: 'var(--r-md)',
  background: 'var(--surface)',
  border: '1px solid var(--line)',
  boxShadow: 'var(--shadow-2)',
  '& dl': { display: 'grid', gridTemplateColumns: 'auto auto', gap: '2px 12px', margin: 0 },
  '& dt': { color: 'var(--text-3)', whiteSpace: 'nowrap' },
  '& dd': { margin: 0, textAlign: 'right' },
  '& a': { color: 'var(--link)' },
})
const Figure = styled('figure')({
  position: 'relative',
  flex: '1 1 auto',
  minWidth: 0,
  margin: 0,
  '& .point': { cursor: 'pointer', outline: 0 },
  '& .point:focus-visible .seen': { stroke: 'var(--focus)', strokeWidth: 3 },
})

const yesNo = (flag: 0 | 1 | null) => (flag === null ? '–' : flag === 1 ? 'Yes' : 'No')

interface Shown {
  point: Point
  x: number
  y: number
}

/** The tooltip of a point, beside the point and not the mouse: it contains a link. */
const PointTip = ({ point: { row } }: { point: Point }) => (
  <dl>
    <dt>Result</dt>
    <dd>{row.result}</dd>
    <dt>Diabetic</dt>
    <dd>{yesNo(row.isDiabetic)}</dd>
    <dt>Family history of MI</dt>
    <dd>{yesNo(row.isFamilyHistory)}</dd>
    <dt>Process Date</dt>
    <dd>
      <Timestamp at={row.processDate} />
    </dd>
    <dt>Requisition</dt>
    <dd>
      <Link to={`/requisitions/${row.reqId}/show`}>#{row.reqId}</Link>
    </dd>
  </dl>
)

/** Long enough to move the mouse from a point into its tooltip. */
const closeMs = 400

/** The point whose tooltip is shown: the one with the mouse or the focus, until both have left it and the tooltip. */
const useShownPoint = () => {
  const [shown, setShown] = useState<Shown | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stay = () => clearTimeout(timer.current)
  useEffect(() => () => clearTimeout(timer.current), [])
  const isShown = shown !== null
  useEffect(() => {
    if (!isShown) return
    // Escape closes it wherever the focus is.
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setShown(null)
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isShown])
  return {
    shown,
    stay,
    show: (next: Shown) => {
      stay()
      setShown(next)
    },
    leave: () => {
      stay()
      timer.current = setTimeout(() => setShown(null), closeMs)
    },
    close: () => {
      stay()
      setShown(null)
    },
  }
}

/** SVDx over process date, with a text alternative. */
export const SerialChart = ({ points }: { points: readonly Point[] }) => {
  const zone = useZone()
  const frame = useRef<HTMLElement>(null)
  const { shown, show, stay, leave, close } = useShownPoint()
  const dot = ({ cx = 0, cy = 0, payload }: DotItemDotProps) => {
    const point = payload as Point
    const own = () => show({ point, x: cx, y: cy })
    return (
      // biome-ignore lint/a11y/useSemanticElements: there are no buttons within a drawing
      <g
        key={`${point.at} ${point.row.reqId}`}
        className="point"
        role="button"
        tabIndex={0}
        aria-label={`${formatDateInZone(point.row.processDate, zone)}: ${point.row.result}`}
        onMouseEnter={own}
        onMouseLeave={leave}
        onFocus={own}
        onClick={own}
      >
        <circle cx={cx} cy={cy} r={12} fill="transparent" />
        <circle className="seen recharts-line-dot" cx={cx} cy={cy} r={shown?.point === point ? 6 : 4} fill="var(--p)" />
      </g>
    )
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (!frame.current?.contains(relatedTarget)) close()
  }
  const isRight = shown !== null && shown.x > (frame.current?.clientWidth ?? 0) / 2
  return (
    <Figure ref={frame} aria-label="SVDx results over process date" onBlur={onBlur}>
      <ResponsiveContainer width="100%" height="100%">
        <LineChart data={[...points]} margin={{ top: 8, right: 24, bottom: 16, left: 8 }} accessibilityLayer={false}>
          <CartesianGrid stroke="var(--line)" vertical={false} />
          <XAxis
            dataKey="at"
            type="number"
            scale="time"
            domain={['dataMin', 'dataMax']}
            tickFormatter={(at: number) => formatDateInZone(new Date(at).toISOString(), zone)}
            tick={{ fontSize: 11, fill: 'var(--text-3)' }}
            label={{ value: 'Process Date', position: 'insideBottom', offset: -8, fontSize: 11, fill: 'var(--text-2)' }}
          />
          <YAxis
            tick={{ fontSize: 11, fill: 'var(--text-3)' }}
            label={{ value: 'Result', angle: -90, position: 'insideLeft', fontSize: 11, fill: 'var(--text-2)' }}
          />
          <Line
            dataKey="value"
            name="Result"
            stroke="var(--p)"
            strokeWidth={2}
            dot={dot}
            activeDot={false}
            isAnimationActive={false}
          />
        </LineChart>
      </ResponsiveContainer>
      {shown && (
        <Tip
          role="group"
          aria-label={`Result of #${shown.point.row.reqId}`}
          style={{
            top: shown.y,
            ...(isRight ? { right: (frame.current?.clientWidth ?? 0) - shown.x + 8 } : { left: shown.x + 8 }),
          }}
          onMouseEnter={stay}
          onMouseLeave={leave}
        >
          <PointTip point={shown.point} />
        </Tip>
      )}
      <VisuallyHidden as="figcaption">
        {points.map(({ row }) => `${formatDateInZone(row.processDate, zone)}: ${row.result}`).join(', ')}
      </VisuallyHidden>
    </Figure>
  )
}
