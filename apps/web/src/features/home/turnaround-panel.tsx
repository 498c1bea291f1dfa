import type { StageTime, TurnaroundDays, TurnaroundToday } from '@lis/contract/home.ts'
import { isStatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { type Stage, StageGlyph, stageColours } from '../../domain/stage-chip.tsx'
import { Trend } from '../../ui/trend.tsx'
import { formatHours } from './durations.ts'
import { Legend, Panel } from './panel.tsx'
import { Sign } from './sign.tsx'

const Headline = styled('div')({
  display: 'flex',
  alignItems: 'baseline',
  gap: 10,
  padding: '8px 12px 6px',
  color: 'var(--text-2)',
  '& b': { fontSize: 20, lineHeight: '24px', fontWeight: 600, color: 'var(--text-strong)' },
  '& .before': { display: 'flex', alignItems: 'center', gap: 8, marginLeft: 'auto', whiteSpace: 'nowrap' },
})
/** On a phone: the stage that is furthest over its target. */
const Slowest = styled('p')({ margin: 0, padding: '0 12px 12px', color: 'var(--error)', fontWeight: 600 })
const Table = styled('table')({
  width: '100%',
  borderCollapse: 'collapse',
  tableLayout: 'fixed',
  '& th, & td': { padding: '0 6px', textAlign: 'right', whiteSpace: 'nowrap', borderBottom: '1px solid var(--line)' },
  '& th': { height: 26, fontSize: 11, fontWeight: 400, color: 'var(--text-3)' },
  '& td': { height: 34 },
  '& th:first-of-type, & td:first-of-type': { paddingLeft: 12, textAlign: 'left', width: '24%' },
  '& th:last-of-type, & td:last-of-type': { paddingRight: 12, width: '23%' },
  '& td:last-of-type svg': { display: 'inline-block', verticalAlign: 'middle' },
  '& tr:last-of-type td': { borderBottom: 0 },
  '& .stage': { display: 'flex', alignItems: 'center', gap: 6 },
  '& .stage svg': { flex: 'none', color: 'var(--c)' },
  '& .stage span': { overflow: 'hidden', textOverflow: 'ellipsis' },
  '& .over': { color: 'var(--error)', fontWeight: 600 },
})
const Bars = styled('div')({
  position: 'relative',
  height: 8,
  borderRadius: 2,
  background: 'var(--n-100)',
  '& i': { position: 'absolute', left: 0, top: 1, height: 6, borderRadius: 2 },
  '& u': { position: 'absolute', top: -3, height: 14, width: 1.5, background: 'var(--text-strong)' },
})

interface TurnaroundPanelProps {
  turnaround: TurnaroundToday
  /** The days before; null if they could not be read. */
  before: TurnaroundDays | null
}

/** Median and 90th percentile of the stages that ended today, against their targets, with the days before as a line. */
export const TurnaroundPanel = ({ turnaround, before }: TurnaroundPanelProps) => {
  const { released, shareWithinTarget, stages } = turnaround
  const shares = [...(before?.days.map((day) => day.shareWithinTarget) ?? []), shareWithinTarget].filter(isKnown)
  const isSmall = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const slowest = stages.filter(isOverTarget).sort((one, other) => overBy(other) - overBy(one))[0]
  return (
    <Panel
      title="Turnaround today"
      actions={
        !isSmall && (
          <Legend>
            <span>
              <i />
              Median
            </span>
            <span>
              <i className="far" />
              90 of 100
            </span>
            <span>
              <i className="target" />
              Target
            </span>
          </Legend>
        )
      }
    >
      <Headline>
        {shareWithinTarget === null ? (
          <span>Nothing released yet today</span>
        ) : (
          <>
            <b>{shareWithinTarget}%</b> of {released.toLocaleString('en-US')} released within target
          </>
        )}
        {before?.days.length === 0 && <span className="before">The lines begin after the first day</span>}
        {before && before.shareWithinTarget !== null && (
          <span className="before">
            {daysOf(before)} {before.shareWithinTarget}%
            {shares.length > 1 && (
              <Trend
                values={shares}
                label={`Share within target by day, ${daysOf(before)}: from ${shares[0]}% to ${shares.at(-1)}%`}
              />
            )}
          </span>
        )}
      </Headline>
      {isSmall ? (
        slowest && (
          <Slowest>
            {nameOf(slowest)}: {formatHours(slowest.p90Hours)} of {formatHours(slowest.targetHours)}
          </Slowest>
        )
      ) : (
        <StageTable stages={stages} before={before} />
      )}
    </Panel>
  )
}

const isKnown = (value: number | null | undefined): value is number => value != null
/** A new laboratory has fewer. */
const daysOf = ({ days }: TurnaroundDays) => `${days.length} ${days.length === 1 ? 'day' : 'days'}`

const isOverTarget = ({ p90Hours, targetHours }: StageTime) => p90Hours !== null && p90Hours > targetHours
const overBy = ({ p90Hours, targetHours }: StageTime) => (p90Hours ?? 0) / targetHours
const nameOf = ({ reqStatusCode, reqStatusDesc }: StageTime) =>
  reqStatusCode === 'RECEIPT' ? 'Receipt' : reqStatusDesc

const StageTable = ({ stages, before }: { stages: readonly StageTime[]; before: TurnaroundDays | null }) => (
  <Table>
    <thead>
      <tr>
        <th scope="col">Stage</th>
        <th scope="col">Median</th>
        <th scope="col">90 of 100</th>
        <th scope="col">Target</th>
        <th scope="col">Today</th>
        <th scope="col">{before && before.days.length > 0 ? `90 of 100, ${daysOf(before)}` : 'Days before'}</th>
      </tr>
    </thead>
    <tbody>
      {stages.map((stage) => (
        <StageRow key={stage.reqStatusCode} stage={stage} before={before} />
      ))}
    </tbody>
  </Table>
)

const names: Record<string, Stage> = { RECEIPT: 'Logged' }
const stageOf = (code: string): Stage | null =>
  names[code] ?? (isStatusCode(code) ? (statusOf(code).description as Stage) : null)

const StageRow = ({ stage, before }: { stage: StageTime; before: TurnaroundDays | null }) => {
  const { reqStatusCode, reqStatusDesc, p50Hours, p90Hours, targetHours } = stage
  const glyph = stageOf(reqStatusCode)
  const isOver = isOverTarget(stage)
  const line = [...(before?.days.map((day) => day.p90Hours[reqStatusCode]) ?? []), p90Hours].filter(isKnown)
  return (
    <tr style={glyph ? (stageColours(glyph) as object) : undefined}>
      <td>
        <span className="stage" title={reqStatusDesc}>
          {glyph && <StageGlyph stage={glyph} />}
          <span>{nameOf(stage)}</span>
        </span>
      </td>
      <td>{formatHours(p50Hours)}</td>
      <td className={isOver ? 'over' : undefined}>
        {isOver && <Sign kind="up" />} {formatHours(p90Hours)}
      </td>
      <td>{formatHours(targetHours)}</td>
      <td>{p90Hours !== null && <StageBars p50={p50Hours ?? 0} p90={p90Hours} target={targetHours} />}</td>
      <td>
        {line.length > 1 && (
          <Trend
            values={line}
            target={targetHours}
            label={`90 of 100 by day: from ${formatHours(line[0] ?? null)} to ${formatHours(line.at(-1) ?? null)}, target ${formatHours(targetHours)}`}
          />
        )}
      </td>
    </tr>
  )
}

const StageBars = ({ p50, p90, target }: { p50: number; p90: number; target: number }) => {
  const scale = Math.max(target * 1.5, p90)
  const width = (hours: number) => `${Math.min(100, (100 * hours) / scale)}%`
  const isOver = p90 > target
  return (
    <Bars
      role="img"
      aria-label={`Half within ${formatHours(p50)}, 90 of 100 within ${formatHours(p90)}, target ${formatHours(target)}`}
    >
      <i style={{ width: width(p90), background: isOver ? 'var(--error-line)' : 'var(--n-300)' }} />
      <i style={{ width: width(p50), background: isOver ? 'var(--error-solid)' : 'var(--p)' }} />
      <u style={{ left: width(target) }} />
    </Bars>
  )
}
