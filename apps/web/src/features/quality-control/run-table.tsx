import { can } from '@lis/contract/access/permissions.ts'
import { type QcRun, type QcStatus, qcLabels, qualityControlRoutes } from '@lis/contract/quality-control.ts'
import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { StateWord } from '../../domain/control-state-word.tsx'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { Loaded } from '../../ui/form/record-page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { sdText } from './chart-data.ts'

const Frame = styled('div')({
  margin: -12,
  maxHeight: 420,
  overflow: 'auto',
  '& table': { width: '100%', borderCollapse: 'collapse' },
  '& th': {
    position: 'sticky',
    top: 0,
    zIndex: 1,
    height: 32,
    padding: '0 8px',
    background: 'var(--surface-2)',
    fontSize: 11,
    fontWeight: 600,
    textAlign: 'left',
    whiteSpace: 'nowrap',
    color: 'var(--text-2)',
  },
  '& td': { height: 32, padding: '0 8px', borderTop: '1px solid var(--line)', whiteSpace: 'nowrap' },
  '& td.words': { whiteSpace: 'normal', minWidth: 140 },
  '& .num': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& tr.current': { background: 'var(--selected)', boxShadow: 'inset 2px 0 0 var(--selected-line)' },
  '& tr.void td': { color: 'var(--text-3)' },
  '& .rejected': { color: 'var(--error)', fontWeight: 700 },
  '& .warned': { color: 'var(--warning)', fontWeight: 600 },
})

const mostRuns = 200
const dayMs = 86_400_000

interface RunTableProps {
  status: QcStatus
  days: number
  runId: number | null
  onRun: (runId: number) => void
}

/** The chart as a table, the newest run first. A row and its points in the chart are chosen together. */
export const RunTable = ({ status, days, runId, onRun }: RunTableProps) => {
  const { instrumentId, testCode } = status
  // By whole days, so that the call stays the same while the page is open.
  const from = new Date(Math.floor(Date.now() / dayMs - days) * dayMs).toISOString()
  const query = useQuery(
    read(qualityControlRoutes.runs, {
      query: { instrumentId, testCode, from, to: null, page: 1, perPage: mostRuns },
    }),
  )
  const [voiding, setVoiding] = useState<QcRun | null>(null)
  const mayRun = can(useRole(), 'qc.run')
  const voidRun = useSave(qualityControlRoutes.voidRun)
  return (
    <Card title="Runs">
      <Loaded query={query}>
        {({ data, total }) =>
          data.length === 0 ? (
            <EmptyState title="Empty Table">No run in this time.</EmptyState>
          ) : (
            <>
              <Runs runs={data} runId={runId} onRun={onRun} {...(mayRun && { onVoid: setVoiding })} />
              {total > data.length && (
                <p style={{ marginTop: 20 }}>
                  The newest {data.length} of {total} runs.
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {voiding && (
        <FormDialog
          title="Void this run"
          subject={`${testCode} on ${status.instrumentName}`}
          intro={<p>It stays visible and no longer counts; the runs after it are evaluated again.</p>}
          submitLabel="Void"
          isSubmitRisky
          schema={qualityControlRoutes.voidRun.body}
          fields={[{ name: 'reason', label: qcLabels.reason, kind: 'multiline', isRequired: true }]}
          onSubmit={(body) => voidRun({ params: { id: voiding.id }, body })}
          onClose={() => setVoiding(null)}
        />
      )}
    </Card>
  )
}

interface RunsProps extends Pick<RunTableProps, 'runId' | 'onRun'> {
  runs: readonly QcRun[]
  onVoid?: (run: QcRun) => void
}

const Runs = ({ runs, runId, onRun, onVoid }: RunsProps) => {
  const levels = [...new Set(runs.flatMap(({ values }) => values.map(({ level }) => level)))].sort()
  const current = useRef<HTMLTableRowElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen run is the reason
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' })
  }, [runId])
  return (
    <Frame>
      <table aria-label="Runs, the newest first">
        <thead>
          <tr>
            <th scope="col">Run</th>
            {levels.flatMap((level) => [
              <th key={`${level} value`} scope="col" className="num">
                Level {level}
              </th>,
              <th key={`${level} sd`} scope="col" className="num">
                SD
              </th>,
            ])}
            <th scope="col">Verdict</th>
            <th scope="col">Rules broken</th>
            <th scope="col">Run by</th>
            {onVoid && <th scope="col">Action</th>}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => {
            const isCurrent = run.id === runId
            return (
              <tr
                key={run.id}
                {...(isCurrent && { ref: current, 'aria-current': true })}
                className={[isCurrent && 'current', run.isVoid === 1 && 'void'].filter(Boolean).join(' ') || undefined}
                onClick={() => onRun(run.id)}
              >
                <td>
                  <Timestamp at={run.ranAt} />
                </td>
                {levels.flatMap((level) => {
                  const value = run.values.find((one) => one.level === level)
                  const tone =
                    run.isVoid === 1
                      ? ''
                      : value?.state === 'REJECTED'
                        ? 'rejected'
                        : value?.state === 'WARNING'
                          ? 'warned'
                          : ''
                  return [
                    <td key={`${level} value`} className="num">
                      {value?.value ?? '–'}
                    </td>,
                    <td key={`${level} sd`} className={`num ${tone}`}>
                      {sdText(value?.z ?? null)}
                    </td>,
                  ]
                })}
                <td>
                  <StateWord state={run.state} isVoid={run.isVoid === 1} />
                </td>
                <td className="words">{rulesText(run)}</td>
                <td>{run.operator}</td>
                {onVoid && (
                  <td>
                    {run.isVoid === 0 && (
                      <Button
                        size="small"
                        variant="text"
                        onClick={(event) => {
                          event.stopPropagation()
                          onVoid(run)
                        }}
                      >
                        Void
                      </Button>
                    )}
                  </td>
                )}
              </tr>
            )
          })}
        </tbody>
      </table>
    </Frame>
  )
}

const rulesText = ({ broken, isVoid, voidReason, values }: QcRun): string => {
  if (isVoid === 1) return voidReason ?? ''
  const parallel = values.some(({ isParallel }) => isParallel === 1) ? 'parallel lot' : ''
  const rules = broken.map(({ rule, levels }) => `${rule} level ${levels.join(', ')}`)
  return [...rules, parallel].filter(Boolean).join('; ') || 'None'
}
