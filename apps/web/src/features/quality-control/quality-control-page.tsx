import { can } from '@lis/contract/access/permissions.ts'
import type { QcChart, QcStatus } from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { styled, useTheme } from '@mui/material/styles'
import useMediaQuery from '@mui/material/useMediaQuery'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { StateWord } from '../../domain/control-state-word.tsx'
import { useRole } from '../../lib/session.ts'
import { useKeys } from '../../lib/use-keys.ts'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { SelectInput } from '../../ui/form/select-input.tsx'
import { DownloadIcon } from '../../ui/icons.tsx'
import { KeyHelp, type PageKeys } from '../../ui/key-help.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { ZoneProvider } from '../../ui/timestamp.tsx'
import { pictureOf, saveAs } from './chart-png.ts'
import { ControlBanner } from './control-banner.tsx'
import { ControlCard } from './control-card.tsx'
import { MonthPdf } from './month-pdf.tsx'
import { RunDialog } from './run-dialog.tsx'
import { RunTable } from './run-table.tsx'
import { StatisticsCard } from './statistics-card.tsx'
import { spans, useChart, useControl } from './use-control.ts'

// The chart library is large.
const LeveyJennings = lazyPart(async () => (await import('./levey-jennings.tsx')).LeveyJennings)

const Ground = styled('div')(({ theme }) => ({
  flex: '1 1 auto',
  display: 'flex',
  flexDirection: 'column',
  gap: 12,
  padding: '12px 16px',
  background: 'var(--bg)',
  borderTop: '1px solid var(--line)',
  [theme.breakpoints.down('sm')]: { padding: 12 },
}))
const Columns = styled('div')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr) 330px',
  gap: 12,
  alignItems: 'start',
  '& > div': { display: 'flex', flexDirection: 'column', gap: 12, minWidth: 0 },
  [theme.breakpoints.down('lg')]: { gridTemplateColumns: 'minmax(0, 1fr)' },
}))
const Bar = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'flex-end',
  gap: 12,
  '& > .choice': { flex: '0 1 340px', minWidth: 200 },
  '& > .spans': { display: 'flex', gap: 4, margin: 0, padding: 0, border: 0 },
  '& > .state': { alignSelf: 'flex-end', padding: '6px 0' },
})

const keyOf = ({ instrumentId, testCode }: QcStatus) => `${instrumentId} ${testCode}`

/** Whether each test is in control on each instrument: charts, runs, and what is done about a run that was rejected. */
export const QualityControlPage = () => {
  const { query, rows, chosen, days, change } = useControl()
  return (
    <>
      <PageHeader title="Quality control" />
      <Loaded query={query}>
        {() =>
          chosen ? (
            <ZoneProvider zone={chosen.labZone}>
              <Ground>
                <Bar>
                  <div className="choice">
                    <SelectInput
                      field={{
                        name: 'test',
                        label: 'Test and instrument',
                        kind: 'select',
                        isRequired: true,
                        options: rows.map((row) => ({
                          value: keyOf(row),
                          label: `${row.testCode}, ${row.instrumentName}${row.state === 'IN' ? '' : row.state === 'OUT' ? ': out of control' : ': due'}`,
                        })),
                      }}
                      value={keyOf(chosen)}
                      onChange={(value) => {
                        const row = rows.find((one) => keyOf(one) === value)
                        if (row) change({ instrumentId: String(row.instrumentId), testCode: row.testCode })
                      }}
                    />
                  </div>
                  <span className="state">
                    <StateWord state={chosen.state} />
                  </span>
                  <fieldset className="spans" aria-label="Days">
                    {spans.map((span) => (
                      <Button
                        key={span}
                        aria-pressed={days === span}
                        variant={days === span ? 'contained' : undefined}
                        onClick={() => change({ days: String(span) })}
                      >
                        {span} d
                      </Button>
                    ))}
                  </fieldset>
                  <Button component={Link} to="/quality-control/look-backs">
                    Look-backs
                  </Button>
                  <Button component={Link} to="/quality-control/setup">
                    Materials and plans
                  </Button>
                </Bar>
                <OneTest key={keyOf(chosen)} status={chosen} days={days} />
              </Ground>
            </ZoneProvider>
          ) : (
            <EmptyState
              title="No controls yet"
              actions={
                <Button component={Link} to="/quality-control/setup">
                  Materials and plans
                </Button>
              }
            >
              Enter materials, lots, targets and a plan, then the first run.
            </EmptyState>
          )
        }
      </Loaded>
    </>
  )
}

const OneTest = ({ status, days }: { status: QcStatus; days: number }) => {
  const query = useChart({ instrumentId: status.instrumentId, testCode: status.testCode }, days)
  return (
    <>
      <ControlBanner status={status} />
      <Loaded query={query}>{({ data }) => <Shown status={status} chart={data} days={days} />}</Loaded>
    </>
  )
}

const dayMs = 86_400_000
/** Space for the mark of a new run, as a share of the time shown. */
const marginShare = 0.02

const Shown = ({ status, chart, days }: { status: QcStatus; chart: QcChart; days: number }) => {
  const [isEntering, setEntering] = useState(false)
  const [runId, setRunId] = useState<number | null>(null)
  const [level, setLevel] = useState(1)
  const [isActing, setActing] = useState(false)
  const figure = useRef<HTMLElement>(null)
  const isPhone = useMediaQuery(useTheme().breakpoints.down('sm'), { noSsr: true })
  const mayRun = can(useRole(), 'qc.run')
  const counted = chart.runs
  const step = (by: 1 | -1) => {
    const at = counted.findIndex(({ id }) => id === runId)
    const next = counted[at === -1 ? counted.length - 1 : at + by]
    if (next) setRunId(next.id)
  }
  const levels = chart.levels.map((one) => one.level)
  useKeys({
    arrowleft: () => step(-1),
    arrowright: () => step(1),
    c: () => setActing(true),
    ...Object.fromEntries(levels.map((one) => [String(one), () => setLevel(one)])),
  })
  const now = Date.now()
  const save = async () => {
    if (!figure.current) return
    const title = `Levey-Jennings, ${status.testCode} on ${status.instrumentName}, ${days} days`
    saveAs(await pictureOf(figure.current, title), `qc-${status.testCode}.png`)
  }
  return (
    <Columns>
      <div>
        <Card
          title={`Levey-Jennings, ${counted.length} runs`}
          actions={
            <>
              <Button startIcon={<DownloadIcon />} onClick={save} disabled={chart.levels.length === 0}>
                PNG
              </Button>
              <MonthPdf status={status} />
              {mayRun && (
                <Button variant="contained" startIcon={<PlusIcon />} onClick={() => setEntering(true)}>
                  Enter run
                </Button>
              )}
            </>
          }
        >
          {chart.levels.length === 0 ? (
            <EmptyState title="No runs in this time">Enter a run, or choose a longer time.</EmptyState>
          ) : (
            <>
              <Legend />
              {isPhone && <LevelTabs levels={levels} level={level} onLevel={setLevel} />}
              <LeveyJennings
                ref={figure}
                chart={chart}
                from={now - days * dayMs}
                to={now + marginShare * days * dayMs}
                outSince={status.state === 'OUT' && status.since ? Date.parse(status.since) : null}
                runId={runId}
                level={isPhone ? level : null}
                onRun={setRunId}
              />
            </>
          )}
        </Card>
        <RunTable status={status} days={days} runId={runId} onRun={setRunId} />
        <StatisticsCard status={status} chart={chart} />
      </div>
      <ControlCard
        status={status}
        chart={chart}
        isActing={isActing}
        onActing={setActing}
        onEnter={() => setEntering(true)}
      />
      <KeyHelp keys={controlKeys} />
      {isEntering && <RunDialog status={status} onClose={() => setEntering(false)} />}
    </Columns>
  )
}

const controlKeys: PageKeys = [
  ['← →', 'Read the run before, and the next one'],
  ['1 2 3', 'Level, on a phone'],
  ['C', 'Corrective action'],
]

const LegendLine = styled('p')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '2px 14px',
  fontSize: 11,
  color: 'var(--text-2)',
  '& svg': { verticalAlign: '-1px', marginRight: 4 },
})

const Legend = () => (
  <LegendLine>
    <span>
      <svg width={10} height={10} aria-hidden="true">
        <circle cx={5} cy={5} r={3} fill="var(--p)" />
      </svg>
      in
    </span>
    <span>
      <svg width={10} height={10} aria-hidden="true">
        <path d="M5 1l4 8h-8z" fill="var(--warning-solid)" />
      </svg>
      warning rule
    </span>
    <span>
      <svg width={10} height={10} aria-hidden="true">
        <path d="M1 1l8 8m0-8-8 8" stroke="var(--error)" strokeWidth={2} />
      </svg>
      rejection rule
    </span>
    <span>
      <svg width={10} height={10} aria-hidden="true">
        <circle cx={5} cy={5} r={3} fill="none" stroke="var(--p)" />
      </svg>
      parallel lot, void, not evaluated
    </span>
    <span>dotted: lot change or action</span>
  </LegendLine>
)

interface LevelTabsProps {
  levels: readonly number[]
  level: number
  onLevel: (level: number) => void
}

const LevelTabs = ({ levels, level, onLevel }: LevelTabsProps) => (
  <fieldset aria-label="Level" style={{ display: 'flex', gap: 4, margin: '8px 0 0', padding: 0, border: 0 }}>
    {levels.map((one) => (
      <Button
        key={one}
        aria-pressed={one === level}
        variant={one === level ? 'contained' : undefined}
        onClick={() => onLevel(one)}
      >
        Level {one}
      </Button>
    ))}
  </fieldset>
)
