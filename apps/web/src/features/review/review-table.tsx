import type { ReviewResult } from '@lis/contract/instrument-results.ts'
import { styled } from '@mui/material/styles'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { formatLongDate, formatTimestamp } from '../../lib/formats.ts'
import { Checkbox } from '../../ui/form/toggles.tsx'
import { ClockIcon, ErrorIcon, type Icon, lineIcon } from '../../ui/icons.tsx'
import { VisuallyHidden } from '../../ui/table/table-frame.tsx'
import { Trend } from '../../ui/trend.tsx'
import { BrokenIcon, PassedIcon, ReasonIcon } from './reason-icon.tsx'
import { kindOf, numbersOf, type ReviewRun, signed, subjectOf, testOf } from './review-groups.ts'

const Table = styled('table')(({ theme }) => ({
  width: '100%',
  minWidth: 900,
  borderCollapse: 'separate',
  borderSpacing: 0,
  tableLayout: 'fixed',
  '& col.tick': { width: 34 },
  '& col.req': { width: 78 },
  '& col.patient': { width: '15%' },
  '& col.dob': { width: 84 },
  '& col.test': { width: 78 },
  '& col.result': { width: 104 },
  '& col.flag': { width: 80 },
  '& col.previous': { width: 72 },
  '& col.delta': { width: 60 },
  '& col.qc': { width: 62 },
  '& td.delta svg': { display: 'none' },
  // If there is room, the trend is beside the difference.
  '@container (min-width: 1120px)': {
    '& col.delta': { width: 150 },
    '& td.delta svg': { display: 'inline', verticalAlign: 'middle', marginRight: 8 },
  },
  '& thead th': {
    position: 'sticky',
    top: 0,
    zIndex: 2,
    height: 36,
    padding: '0 8px',
    textAlign: 'left',
    fontSize: 11,
    fontWeight: 600,
    color: 'var(--text-2)',
    background: 'var(--surface-2)',
    borderBottom: '1px solid var(--line-strong)',
    whiteSpace: 'nowrap',
  },
  '& .num': { textAlign: 'right !important' },
  '& tbody.run > tr:first-of-type > th': {
    position: 'sticky',
    top: 36,
    zIndex: 1,
    height: 34,
    padding: '0 12px',
    textAlign: 'left',
    fontWeight: 400,
    color: 'var(--text-2)',
    background: 'var(--surface-2)',
    borderBottom: '1px solid var(--line)',
  },
  '& .head': { display: 'flex', alignItems: 'center', gap: 12, whiteSpace: 'nowrap' },
  '& .head b': { color: 'var(--text-strong)' },
  '& .head .grow': { flex: '1 1 auto' },
  '& td': {
    height: 36,
    padding: '2px 8px',
    borderBottom: '1px solid var(--line)',
    // Never truncated, because it is the basis of a decision.
    overflowWrap: 'anywhere',
  },
  '& td.dob, & td.delta': { whiteSpace: 'nowrap' },
  '& tr.row': { cursor: 'pointer' },
  '& tr.row:hover td': { background: 'var(--n-50)' },
  '& tr.row.chosen td, & tr.row.current td': { background: 'var(--selected)' },
  '& tr.row.current td:first-of-type': { boxShadow: 'inset 3px 0 0 var(--selected-line)' },
  '& .name': { fontWeight: 600, color: 'var(--text-strong)' },
  '& .value b': { fontSize: 13, color: 'var(--text-strong)' },
  '& .value small, & .faint': { fontSize: 11, color: 'var(--text-3)' },
  '& .sign': { display: 'inline-flex', alignItems: 'center', gap: 4 },
  '& .error': { color: 'var(--error)', fontWeight: 600 },
  '& .warning': { color: 'var(--warning)', fontWeight: 600 },
  '& .success': { color: 'var(--success)' },
  '& .why': { display: 'flex', alignItems: 'center', gap: 8, minWidth: 0 },
  '& .why > span': { minWidth: 0 },
  '& .more': {
    flex: 'none',
    padding: '0 5px',
    borderRadius: 'var(--r-xs)',
    background: 'var(--surface-3)',
    boxShadow: 'inset 0 0 0 1px var(--line)',
    fontSize: 11,
    fontWeight: 600,
  },
  '& a': { color: 'var(--link)', textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
  // A card for each result.
  [theme.breakpoints.down('sm')]: {
    display: 'block',
    minWidth: 0,
    '& thead': { display: 'none' },
    '& tbody, & tbody.run > tr:first-of-type, & tbody.run > tr:first-of-type > th': {
      display: 'block',
      height: 'auto',
    },
    '& tbody.run > tr:first-of-type > th': { position: 'static', padding: '8px 12px' },
    '& .head': { flexWrap: 'wrap', gap: '2px 12px' },
    '& tr.row': {
      display: 'grid',
      gridTemplateColumns: '44px minmax(0, 1fr) auto',
      padding: '6px 12px 6px 0',
      borderBottom: '1px solid var(--line)',
    },
    '& tr.row.chosen, & tr.row.current': { background: 'var(--selected)' },
    '& td': { height: 'auto', padding: '1px 4px', border: 0, textAlign: 'left' },
    '& td.tick': { gridRow: '1 / 5', padding: '10px 0 0 14px', boxShadow: 'none !important' },
    '& td.patient': { gridColumn: 2, gridRow: 1 },
    '& td.result': { gridColumn: 3, gridRow: 1 },
    '& td.test': { gridColumn: 3, gridRow: 2, textAlign: 'right' },
    '& td.dob': { gridColumn: 2, gridRow: 2 },
    '& td.req': { gridColumn: 2, gridRow: 3 },
    '& td.reasons': { gridColumn: '2 / 4', gridRow: 4 },
    '& td.flag, & td.previous, & td.delta, & td.qc': { display: 'none' },
  },
}))

interface ReviewTableProps {
  runs: readonly ReviewRun[]
  currentId: number | null
  chosen: ReadonlySet<number>
  onChoose: (id: number) => void
  onMark: (ids: readonly number[], isMarked: boolean) => void
}

/** Waiting results, by instrument and run. */
export const ReviewTable = ({ runs, currentId, chosen, onChoose, onMark }: ReviewTableProps) => {
  const table = useRef<HTMLTableElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: moving by keys brings the current row into view
  useEffect(() => {
    table.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' })
  }, [currentId])
  const ids = runs.flatMap(({ rows }) => rows.map(({ id }) => id))
  const marked = ids.filter((id) => chosen.has(id)).length
  return (
    <Table ref={table} aria-label="Results that wait">
      <colgroup>
        {['tick', 'req', 'patient', 'dob', 'test', 'result', 'flag', 'previous', 'delta', 'qc', 'reasons'].map(
          (name) => (
            <col key={name} className={name} />
          ),
        )}
      </colgroup>
      <thead>
        <tr>
          <th scope="col">
            <Checkbox
              label={<VisuallyHidden>Select all</VisuallyHidden>}
              checked={marked > 0 && marked === ids.length}
              onChange={() => onMark(ids, marked < ids.length)}
            />
          </th>
          <th scope="col">Req ID</th>
          <th scope="col">Patient Name</th>
          <th scope="col">Patient DOB</th>
          <th scope="col">Test</th>
          <th scope="col" className="num">
            Result
          </th>
          <th scope="col">Flag</th>
          <th scope="col" className="num">
            Previous
          </th>
          <th scope="col" className="num">
            Delta
          </th>
          <th scope="col">QC</th>
          <th scope="col">Why it waits</th>
        </tr>
      </thead>
      {runs.map((run) => (
        <tbody key={run.key} className="run">
          <tr>
            <th scope="rowgroup" colSpan={11}>
              <RunHead run={run} />
            </th>
          </tr>
          {run.rows.map((row) => (
            <Row
              key={row.id}
              row={row}
              isCurrent={row.id === currentId}
              isChosen={chosen.has(row.id)}
              onChoose={onChoose}
              onMark={onMark}
            />
          ))}
        </tbody>
      ))}
    </Table>
  )
}

const RunHead = ({ run }: { run: ReviewRun }) => {
  const { text, zone } = formatTimestamp(run.receivedAt, run.labZone)
  const test = run.rows.find(({ qcState }) => qcState === run.qcState)?.testCode
  return (
    <span className="head">
      <b>{run.instrumentName}</b>
      <span>
        Run {run.messageId}, {text} <span className="faint">{zone}</span>
      </span>
      <span>{run.rows.length === 1 ? '1 waits' : `${run.rows.length} wait`}</span>
      <span className="grow" />
      <QcWord state={run.qcState} prefix="QC " />
      {run.qcState !== null && run.qcState !== 'IN' && test && (
        <Link
          to={`/quality-control?${new URLSearchParams({ instrumentId: String(run.instrumentId), testCode: test })}`}
        >
          Open QC
        </Link>
      )}
    </span>
  )
}

const qcWords = {
  IN: ['in', 'success', PassedIcon],
  DUE: ['due', 'warning', ClockIcon],
  OUT: ['out', 'error', BrokenIcon],
} as const

const QcWord = ({ state, prefix = '' }: { state: ReviewResult['qcState']; prefix?: string }) => {
  if (state === null) return prefix === '' ? <span className="faint">–</span> : null
  const [word, tone, Glyph] = qcWords[state]
  return (
    <span className={`sign ${tone}`}>
      <Glyph size={12} />
      {prefix === '' ? `${word[0]?.toUpperCase()}${word.slice(1)}` : prefix + word}
    </span>
  )
}

interface RowProps {
  row: ReviewResult
  isCurrent: boolean
  isChosen: boolean
  onChoose: (id: number) => void
  onMark: (ids: readonly number[], isMarked: boolean) => void
}

const Row = ({ row, isCurrent, isChosen, onChoose, onMark }: RowProps) => {
  const [first, ...others] = row.reasons
  const trend = numbersOf(row)
  return (
    <tr
      className={`row ${isCurrent ? 'current' : ''} ${isChosen ? 'chosen' : ''}`}
      aria-current={isCurrent}
      onClick={() => onChoose(row.id)}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: only keeps a tick from choosing the row */}
      <td className="tick" onClick={(event) => event.stopPropagation()}>
        <Checkbox
          label={<VisuallyHidden>{`Select ${subjectOf(row)}, ${testOf(row)}`}</VisuallyHidden>}
          checked={isChosen}
          onChange={() => onMark([row.id], !isChosen)}
        />
      </td>
      <td className="req">
        {row.reqId === null ? row.specimenId : <Link to={`/requisitions/${row.reqId}/show/tests`}>{row.reqId}</Link>}
      </td>
      <td className="patient name" title={row.patientName ?? undefined}>
        {row.patientName ?? 'Unknown specimen'}
      </td>
      <td className="dob">{row.patientDob && formatLongDate(row.patientDob)}</td>
      <td className="test name">{testOf(row)}</td>
      <td className="result value num" title={row.units ? `${row.value} ${row.units}` : row.value}>
        <b>{row.value}</b> <small>{row.units}</small>
      </td>
      <td className="flag">
        <Flag row={row} />
      </td>
      <td className="previous num">{row.previousValue ?? <span className="faint">–</span>}</td>
      <td className="delta num">
        {trend.length > 1 && <Trend values={trend} />}
        {row.delta === null ? (
          <span className="faint">{row.previousValue === null ? 'first' : '–'}</span>
        ) : (
          signed(row.delta)
        )}
      </td>
      <td className="qc">
        <QcWord state={row.qcState} />
      </td>
      <td className="reasons" title={row.reasons.map(({ text }) => text).join('\n')}>
        <span className="why">
          {first && <ReasonIcon kind={kindOf(first.code)} />}
          <span>{first?.text}</span>
          {others.length > 0 && <span className="more">+{others.length}</span>}
        </span>
      </td>
    </tr>
  )
}

const UpIcon = lineIcon('M8 4.5 13 12H3Z')
const DownIcon = lineIcon('M8 11.5 3 4h10Z')
const arrows: Record<string, Icon> = { H: UpIcon, L: DownIcon }

const Flag = ({ row: { isCritical, abnormalFlag } }: { row: ReviewResult }) => {
  if (isCritical === 1)
    return (
      <span className="sign error">
        <ErrorIcon size={12} /> Critical
      </span>
    )
  if (!abnormalFlag || abnormalFlag === 'N') return null
  const Arrow = arrows[abnormalFlag[0] ?? '']
  return (
    <span className="sign warning">
      {Arrow && <Arrow size={12} />}
      {abnormalFlag}
    </span>
  )
}
