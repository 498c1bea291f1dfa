import type { WaitingReport } from '@lis/contract/sign-out.ts'
import { styled } from '@mui/material/styles'
import { formatDuration } from '../../lib/durations.ts'
import { WarningIcon } from '../../ui/icons.tsx'
import { dayOf, nameOf } from './use-sign-out.ts'

const List = styled('div')({
  '& h2': {
    display: 'flex',
    alignItems: 'center',
    gap: 8,
    margin: 0,
    padding: '8px 16px',
    borderBottom: '1px solid var(--line)',
    background: 'var(--surface-2)',
    fontSize: 13,
    fontWeight: 600,
    color: 'var(--text-strong)',
  },
  '& h2 small': { color: 'var(--text-3)', fontSize: 12, fontWeight: 400 },
  '& ul': { listStyle: 'none', margin: 0, padding: 0 },
  '& li': { display: 'flex', alignItems: 'center', borderBottom: '1px solid var(--line)' },
  '& li > input': { flex: 'none', width: 16, height: 16, margin: '0 0 0 16px', accentColor: 'var(--p)' },
  '& li > button': {
    flex: '1 1 auto',
    minWidth: 0,
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) auto',
    gap: '2px 12px',
    padding: '8px 16px',
    border: 0,
    background: 'none',
    color: 'var(--text-2)',
    font: 'inherit',
    fontSize: 12,
    textAlign: 'left',
    cursor: 'pointer',
  },
  '& li > button[aria-current=true]': { background: 'var(--p-100)', boxShadow: 'inset 3px 0 0 var(--p)' },
  '& li > button:focus-visible': { outline: '2px solid var(--p)', outlineOffset: -2 },
  '& b': { color: 'var(--text-strong)', fontSize: 13, fontWeight: 600, overflowWrap: 'anywhere' },
  '& .aside': { textAlign: 'right', fontVariantNumeric: 'tabular-nums' },
  '& .number': { color: 'var(--p)' },
  '& .why': { gridColumn: '1 / -1', display: 'flex', alignItems: 'center', gap: 6, color: 'var(--warning)' },
})

interface WaitingListProps {
  toLookAt: readonly WaitingReport[]
  normal: readonly WaitingReport[]
  currentId: number | null
  onChoose: (id: number) => void
  chosen: ReadonlySet<number>
  onMark: (ids: readonly number[], isChosen: boolean) => void
}

/** Reports that need a look, each with its reason, and normal ones, which one signature can cover. */
export const WaitingList = ({ toLookAt, normal, currentId, onChoose, chosen, onMark }: WaitingListProps) => {
  const row = (report: WaitingReport) => (
    <button
      type="button"
      aria-current={report.reportId === currentId}
      title={report.mayUserSign ? undefined : 'You have no right to sign reports of this laboratory'}
      onClick={() => onChoose(report.reportId)}
    >
      <b>{nameOf(report)}</b>
      <span className="aside">{formatDuration(Date.now() - Date.parse(report.waitingSince))}</span>
      <span>
        <span className="number">{report.reqId}</span> {dayOf(report.patientDob)}
      </span>
      <span className="aside">{shortened(report.testCodes)}</span>
      {report.needsLook === 1 && (
        <span className="why">
          <WarningIcon size={14} /> {reasonOf(report)}
        </span>
      )}
    </button>
  )
  const signable = normal.filter(({ mayUserSign }) => mayUserSign === 1).map(({ reportId }) => reportId)
  return (
    <List>
      <h2>
        Need a look <small>{toLookAt.length}</small>
      </h2>
      <ul aria-label="Need a look">
        {toLookAt.map((report) => (
          <li key={report.reportId}>{row(report)}</li>
        ))}
      </ul>
      <h2>
        <input
          type="checkbox"
          aria-label="Choose all normal reports"
          disabled={signable.length === 0}
          checked={signable.length > 0 && signable.every((id) => chosen.has(id))}
          onChange={({ target }) => onMark(signable, target.checked)}
        />
        Normal, every check passed <small>{normal.length}</small>
      </h2>
      <ul aria-label="Normal, every check passed">
        {normal.map((report) => (
          <li key={report.reportId}>
            <input
              type="checkbox"
              aria-label={`Choose ${nameOf(report)}`}
              disabled={report.mayUserSign === 0}
              checked={chosen.has(report.reportId)}
              onChange={({ target }) => onMark([report.reportId], target.checked)}
            />
            {row(report)}
          </li>
        ))}
      </ul>
    </List>
  )
}

const shown = 3
const shortened = (codes: readonly string[]) =>
  codes.length > shown ? `${codes.slice(0, shown).join(', ')} +${codes.length - shown}` : codes.join(', ')

const reasonOf = ({ isCritical, isCorrected, isAbnormal, isMadeHere }: WaitingReport) => {
  if (isCritical) return 'Critical value'
  if (isCorrected) return 'Corrected report'
  if (!isMadeHere) return 'File made elsewhere: read all of it'
  return isAbnormal ? 'Abnormal result' : 'A check has something to see'
}
