import type { QcChart } from '@lis/contract/quality-control.ts'
import { styled } from '@mui/material/styles'
import type { Ref } from 'react'
import {
  type DotItemDotProps,
  Line,
  LineChart,
  ReferenceArea,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts'
import { formatDateInZone } from '../../lib/formats.ts'
import { CloseIcon, WarningIcon } from '../../ui/icons.tsx'
import { useZone } from '../../ui/timestamp.tsx'
import { type ChartPoint, describeLevel, edge, eventsOf, lineText, pointsOf, sdText } from './chart-data.ts'

const Figure = styled('figure')(({ theme }) => ({
  margin: 0,
  '& h3': { fontSize: 12, fontWeight: 600, color: 'var(--text-strong)' },
  '& header': { display: 'flex', flexWrap: 'wrap', gap: '0 8px', alignItems: 'baseline', padding: '6px 0 0' },
  '& header small': { color: 'var(--text-3)', fontSize: 12 },
  '& header .now': { marginLeft: 'auto' },
  '& header .verdict': {
    display: 'inline-flex',
    alignItems: 'center',
    gap: 4,
    marginLeft: 8,
    padding: '0 6px',
    borderRadius: 'var(--r-xs)',
    fontSize: 11,
    fontWeight: 600,
    color: 'var(--warning)',
    background: 'var(--warning-bg)',
    boxShadow: 'inset 0 0 0 1px var(--warning-line)',
  },
  '& header .verdict.out': {
    color: 'var(--error)',
    background: 'var(--error-bg)',
    boxShadow: 'inset 0 0 0 1px var(--error-line)',
  },
  '& .level': { borderTop: '1px solid var(--line)' },
  '& .level:first-of-type': { borderTop: 0 },
  '& .point': { cursor: 'pointer' },
  // On a phone they would cover each other; the card of actions names them.
  [theme.breakpoints.down('sm')]: { '& .event': { display: 'none' } },
}))

const lines = [
  { sds: 3, stroke: 'var(--error)', dash: '4 3' },
  { sds: 2, stroke: 'var(--warning-solid)', dash: '4 3' },
  { sds: 1, stroke: 'var(--line)', dash: '0' },
  { sds: 0, stroke: 'var(--n-450)', dash: '0' },
  { sds: -1, stroke: 'var(--line)', dash: '0' },
  { sds: -2, stroke: 'var(--warning-solid)', dash: '4 3' },
  { sds: -3, stroke: 'var(--error)', dash: '4 3' },
] as const
const tick = { fontSize: 11, fill: 'var(--text-3)' }
const labelWidth = 110
const levelHeight = 150
const axisHeight = 20

interface LeveyJenningsProps {
  chart: QcChart
  from: number
  to: number
  /** Since when it is out of control. */
  outSince: number | null
  /** The run that is read in all levels. */
  runId: number | null
  /** Only this level, on phones; null for all. */
  level: number | null
  onRun: (runId: number) => void
  ref?: Ref<HTMLElement>
}

/** All levels on one time axis: mean, 1, 2 and 3 SD, rule marks, lot changes and actions. The table below has the same data. */
export const LeveyJennings = ({ chart, from, to, outSince, runId, level, onRun, ref }: LeveyJenningsProps) => {
  const runs = new Map(chart.runs.map((run) => [run.id, run]))
  const events = eventsOf(chart)
  const shown = chart.levels.filter((one) => level === null || one.level === level)
  return (
    <Figure ref={ref}>
      {shown.map((one, index) => (
        <LevelChart
          key={one.level}
          level={one}
          points={pointsOf(one, runs)}
          units={chart.units}
          isLast={index === shown.length - 1}
          {...{ from, to, outSince, runId, onRun, events }}
        />
      ))}
    </Figure>
  )
}

interface LevelChartProps extends Pick<LeveyJenningsProps, 'from' | 'to' | 'outSince' | 'runId' | 'onRun'> {
  level: QcChart['levels'][number]
  points: ChartPoint[]
  units: string | null
  events: ReturnType<typeof eventsOf>
  isLast: boolean
}

const LevelChart = (props: LevelChartProps) => {
  const { level, points, units, events, from, to, outSince, runId, onRun, isLast } = props
  const zone = useZone()
  const { target } = level
  const now = points.findLast(({ isVoid, isParallel }) => !isVoid && !isParallel)
  // Void runs and parallel lots are shown, but the line skips them.
  const joined = points.filter(({ isVoid, isParallel, y }) => !isVoid && !isParallel && y !== null)
  const beside = points.filter(({ isVoid, isParallel, y }) => (isVoid || isParallel) && y !== null)
  const dot = ({ cx = 0, cy = 0, payload }: DotItemDotProps) => (
    <Mark
      key={(payload as ChartPoint).runId}
      point={payload as ChartPoint}
      {...{ cx, cy, onRun }}
      isCurrent={(payload as ChartPoint).runId === runId}
    />
  )
  const current = points.find((point) => point.runId === runId)
  return (
    <div className="level">
      <header>
        <h3>Level {level.level}</h3>
        <small>
          {target
            ? `mean ${target.mean}, SD ${target.sd}${cvText(target)}, ${target.source === 'MAKER' ? 'limits of the maker' : 'own limits'}`
            : 'without a target: not evaluated'}
        </small>
        {now && (
          <span className="now">
            Now <strong>{[now.value, units].filter(Boolean).join(' ')}</strong> {sdText(now.z)} SD
            <Verdict point={now} />
          </span>
        )}
      </header>
      <div role="img" aria-label={describeLevel(level.level, points)}>
        <ResponsiveContainer width="100%" height={levelHeight + (isLast ? axisHeight : 0)}>
          <LineChart margin={{ top: 8, right: 24, bottom: 0, left: 0 }} accessibilityLayer={false}>
            <XAxis
              dataKey="at"
              type="number"
              scale="time"
              domain={[from, to]}
              allowDataOverflow
              hide={!isLast}
              height={isLast ? axisHeight : 0}
              tickFormatter={(at: number) => formatDateInZone(new Date(at).toISOString(), zone).slice(0, 5)}
              tick={tick}
              tickLine={false}
              minTickGap={40}
            />
            <YAxis
              type="number"
              domain={[-edge, edge]}
              ticks={[-3, -2, 0, 2, 3]}
              interval={0}
              tickFormatter={(sds: number) => lineText(sds, target)}
              tick={tick}
              tickLine={false}
              axisLine={false}
              width={labelWidth}
            />
            {outSince !== null && (
              <ReferenceArea x1={Math.max(from, outSince)} x2={to} fill="var(--error-bg)" fillOpacity={0.7} />
            )}
            {lines.map(({ sds, stroke, dash }) => (
              <ReferenceLine
                key={sds}
                y={sds}
                stroke={stroke}
                strokeDasharray={dash}
                strokeWidth={sds === 0 ? 1.5 : 1}
              />
            ))}
            {events
              .filter(({ at }) => at >= from && at <= to)
              .map(({ at, text }) => (
                <ReferenceLine
                  key={`${at} ${text}`}
                  x={at}
                  stroke="var(--text-3)"
                  strokeDasharray="1 3"
                  {...(isLast && {
                    label: {
                      value: text,
                      position: 'insideBottomLeft',
                      fontSize: 10,
                      fill: 'var(--text-2)',
                      className: 'event',
                    },
                  })}
                />
              ))}
            {current && <ReferenceLine x={current.at} stroke="var(--p-400)" />}
            <Line
              data={joined}
              dataKey="y"
              stroke="var(--n-450)"
              strokeWidth={1}
              dot={dot}
              activeDot={false}
              isAnimationActive={false}
            />
            <Line data={beside} dataKey="y" stroke="none" dot={dot} activeDot={false} isAnimationActive={false} />
          </LineChart>
        </ResponsiveContainer>
      </div>
    </div>
  )
}

const cvText = ({ mean, sd }: { mean: string; sd: string }): string =>
  Number(mean) === 0 ? '' : `, CV ${((100 * Number(sd)) / Math.abs(Number(mean))).toFixed(1)}%`

/** The verdict on the newest value of a level; empty if it is in control. */
const Verdict = ({ point: { state, rules } }: { point: ChartPoint }) => {
  if (state !== 'REJECTED' && state !== 'WARNING') return null
  const isOut = state === 'REJECTED'
  const Sign = isOut ? CloseIcon : WarningIcon
  return (
    <span className={isOut ? 'verdict out' : 'verdict'}>
      <Sign size={12} /> {[isOut ? 'Out' : 'Warning', ...rules].join(', ')}
    </span>
  )
}

interface MarkProps {
  point: ChartPoint
  cx: number
  cy: number
  isCurrent: boolean
  onRun: (runId: number) => void
}

/** In: dot. Warning: triangle. Rejected: cross. Void or parallel: hollow. Shape and colour have the same meaning. */
const Mark = ({ point, cx, cy, isCurrent, onRun }: MarkProps) => {
  const { state, rules, isVoid, isParallel } = point
  const isRejected = state === 'REJECTED' && !isVoid
  const isWarning = state === 'WARNING' && !isVoid
  const colour = isRejected ? 'var(--error)' : 'var(--warning)'
  const isHigh = cy < 30
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys and the table do the same
    <g className="point" onClick={() => onRun(point.runId)}>
      <circle cx={cx} cy={cy} r={9} fill="transparent" />
      {isCurrent && <circle cx={cx} cy={cy} r={7} fill="none" stroke="var(--focus)" strokeWidth={2} />}
      {isRejected ? (
        <path d={`M${cx - 4} ${cy - 4}l8 8m0-8-8 8`} stroke="var(--error)" strokeWidth={2.5} />
      ) : isWarning ? (
        <path d={`M${cx} ${cy - 5}l5 9h-10z`} fill="var(--warning-solid)" />
      ) : isVoid || isParallel || state === 'NOT_EVALUATED' ? (
        <circle cx={cx} cy={cy} r={3} fill="var(--surface)" stroke={isVoid ? 'var(--text-3)' : 'var(--p)'} />
      ) : (
        <circle cx={cx} cy={cy} r={3} fill="var(--p)" />
      )}
      {rules.length > 0 && !isParallel && (
        <text x={cx} y={isHigh ? cy + 16 : cy - 9} textAnchor="middle" fontSize={10} fontWeight={600} fill={colour}>
          {rules.join(', ')}
        </text>
      )}
    </g>
  )
}
