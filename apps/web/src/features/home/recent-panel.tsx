import { can } from '@lis/contract/access/permissions.ts'
import type { PinnedView, RecentRequisition } from '@lis/contract/home.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'
import { StageChip } from '../../domain/stage-chip.tsx'
import { formatLongDate, formatTimestamp } from '../../lib/formats.ts'
import { useRole } from '../../lib/session.ts'
import { BellIcon } from '../../ui/icons.tsx'
import { PinIcon } from '../../ui/table/table-icons.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { Panel } from './panel.tsx'

const Rows = styled('ul')(({ theme }) => ({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li': {
    minHeight: 32,
    display: 'grid',
    alignItems: 'center',
    gap: '2px 12px',
    padding: '4px 12px',
    borderBottom: '1px solid var(--line)',
  },
  '& > li:last-of-type': { borderBottom: 0 },
  '&.recent > li': { gridTemplateColumns: '70px minmax(0, 1.4fr) 76px 110px 120px minmax(0, 1fr)' },
  '& strong': { fontWeight: 600, color: 'var(--text-strong)', overflow: 'hidden', textOverflow: 'ellipsis' },
  '& a': { color: 'var(--link)', textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
  '&.views > li': { position: 'relative', gridTemplateColumns: 'minmax(0, 1fr) auto auto' },
  '&.views > li:hover': { background: 'var(--n-50)' },
  '&.views a': { color: 'var(--text-strong)', fontWeight: 600 },
  // The count leads to its rows too.
  '&.views a::after': { content: '""', position: 'absolute', inset: 0 },
  '&.views .name': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '0 8px' },
  '&.views .name > svg': { flex: 'none', color: 'var(--text-3)' },
  '& .count': { fontSize: 14, fontWeight: 600, color: 'var(--text-strong)' },
  '& .change': { fontSize: 11, color: 'var(--text-3)' },
  '& .failed': { gridColumn: '1 / -1', color: 'var(--error)' },
  [theme.breakpoints.down('md')]: {
    '&.recent > li': { gridTemplateColumns: '64px minmax(0, 1fr) auto', minHeight: 44 },
    '& .wide': { display: 'none' },
    '& .event': { gridColumn: '2 / -1', color: 'var(--text-3)' },
  },
  [theme.breakpoints.down('sm')]: {
    '&.recent > li:nth-of-type(n + 6)': { display: 'none' },
    '& a': { minHeight: 44, display: 'inline-flex', alignItems: 'center' },
  },
}))
const Alert = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  padding: '1px 6px',
  borderRadius: 'var(--r-xs)',
  background: 'var(--warning-bg)',
  color: 'var(--warning)',
  fontSize: 11,
  fontWeight: 600,
})
const None = styled('div')({ padding: 12, color: 'var(--text-3)' })

/** What this user has worked on or opened. */
export const RecentPanel = ({ recent }: { recent: readonly RecentRequisition[] }) => {
  const role = useRole()
  const mayOpen = can(role, 'requisitions.link') || can(role, 'requisitions.open')
  return (
    <Panel title="My recent requisitions">
      {recent.length === 0 && <None>The requisitions that you open or change appear here</None>}
      <Rows className="recent">
        {recent.map((row) => (
          <li key={row.reqId}>
            {mayOpen ? <Link to={`/requisitions/${row.reqId}/show`}>#{row.reqId}</Link> : <span>#{row.reqId}</span>}
            <strong>
              {row.patientLastName}, {row.patientFirstName}
            </strong>
            <span className="wide">{formatLongDate(row.patientDob)}</span>
            <span>
              <StageChip code={row.reqStatusCode} isGrouped />
            </span>
            <span className="wide">
              <Timestamp at={row.eventDate} />
            </span>
            <span className="event">{row.event}</span>
          </li>
        ))}
      </Rows>
    </Panel>
  )
}

interface ViewsPanelProps {
  views: readonly PinnedView[]
  /** Of the laboratory. */
  zone: string
  failed: Readonly<Record<string, string>>
}

/** Pinned views with the number of their rows; one that cannot be counted says why, and opens all the same. */
export const ViewsPanel = ({ views, failed, zone }: ViewsPanelProps) => (
  <Panel title="Pinned Smart Views">
    {views.length === 0 && <None>Pin a Smart View of the requisition list to see its count here</None>}
    <Rows className="views">
      {views.map(({ id, smartName, link, count, hasAlert, earlier }) => {
        const reason = failed[`view ${id}`]
        return (
          <li key={id}>
            <span className="name">
              <PinIcon size={12} />
              <Link to={link}>{smartName}</Link>
              {hasAlert === 1 && (
                <Alert>
                  <BellIcon size={12} /> Alert
                </Alert>
              )}
            </span>
            <span className="change">{count !== null && earlier && changeOf(count, earlier, zone)}</span>
            <span className="count">{count?.toLocaleString('en-US') ?? '–'}</span>
            {reason !== undefined && (
              <span className="failed">{reason.replace(/\.?$/, '.')} Open the view to change its filters.</span>
            )}
          </li>
        )
      })}
    </Rows>
  </Panel>
)

type Earlier = NonNullable<PinnedView['earlier']>

/** A count of the first hour is what was left of yesterday; a view that was pinned or changed today is compared with its first count. */
const changeOf = (count: number, { count: before, at }: Earlier, zone: string) => {
  const time = formatTimestamp(at, zone).text.split(' ')[1] ?? ''
  const since = time.startsWith('00:') ? 'yesterday' : time
  if (count === before) return `same since ${since}`
  return `${count > before ? '+' : '−'}${Math.abs(count - before).toLocaleString('en-US')} since ${since}`
}
