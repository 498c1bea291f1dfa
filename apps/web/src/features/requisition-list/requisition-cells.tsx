import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { requisitionCellRoutes } from '@lis/contract/requisitions/moves.ts'
import { styled } from '@mui/material/styles'
import Tooltip from '@mui/material/Tooltip'
import { Link } from 'react-router'
import { FlagCell } from '../../domain/flag-cell.tsx'
import { call } from '../../lib/api.ts'
import { useRole } from '../../lib/session.ts'
import { ifMatch } from '../../lib/use-save.ts'
import { WarningIcon } from '../../ui/icons.tsx'

const Tag = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  height: 18,
  padding: '0 6px',
  borderRadius: 'var(--r-xs)',
  fontSize: 11,
  fontWeight: 600,
  background: 'var(--info-bg)',
  color: 'var(--info)',
  boxShadow: 'inset 0 0 0 1px color-mix(in srgb, currentColor 14%, transparent)',
})

/** Only Yes is highlighted. */
export const PartialTag = ({ value }: { value: 0 | 1 }) =>
  value === 1 ? <Tag>Yes</Tag> : <span style={{ color: 'var(--text-3)' }}>No</span>

/** Only what will be late is highlighted; nothing is said about a requisition without a due date. */
export const LateTag = ({ row: { dueDate, willBeLate } }: { row: RequisitionRow }) => {
  if (dueDate === null) return null
  if (willBeLate === 0) return <span style={{ color: 'var(--text-3)' }}>No</span>
  return <Tag style={{ background: 'var(--warning-bg)', color: 'var(--warning)' }}>Yes</Tag>
}

const texts = ['No', 'Yes'] as const

/** Whether the patient is notified of results. */
export const NotifyCell = ({ row }: { row: RequisitionRow }) => (
  <FlagCell
    label={`Notify Patient of #${row.id}`}
    value={row.isSendNotif}
    version={row.version}
    name="isSendNotif"
    texts={texts}
    isDisabled={!can(useRole(), 'requisitions.setNotifyPatient')}
    save={(isSendNotif, version) =>
      call(requisitionCellRoutes.sendNotif, {
        params: { reqID: row.id },
        body: { isSendNotif },
        headers: ifMatch(version),
      })
    }
  />
)

/** Open issues of a requisition, by department, with a link to them. */
export const IssueIcon = ({ row }: { row: RequisitionRow }) => {
  const role = useRole()
  if (row.issueCount === 0) return null
  const text = `Requisition contains uncompleted issues: ${row.reporterDeptcodes}`
  const icon = <WarningIcon size={16} style={{ color: 'var(--error)' }} />
  return (
    // Wider than other tooltips, because it lists departments (SHELL-G3).
    <Tooltip title={text} slotProps={{ tooltip: { sx: { maxWidth: 600 } } }}>
      {can(role, 'requisitions.link') ? (
        <Link to={`/requisitions/${row.id}/show/issues`} aria-label={text} style={{ display: 'inline-grid' }}>
          {icon}
        </Link>
      ) : (
        <span role="img" aria-label={text} style={{ display: 'inline-grid' }}>
          {icon}
        </span>
      )}
    </Tooltip>
  )
}

/** The laboratory's target is four days; three quarters of it is the warning threshold. */
const targetHours = 96

/** Turnaround time in days and hours, with a progress bar towards the target. */
export const Turnaround = ({ hours }: { hours: number | null }) => {
  if (hours === null) return null
  const share = Math.min(1, hours / targetHours)
  const colour =
    hours > targetHours ? 'var(--error)' : hours > targetHours * 0.75 ? 'var(--warning-solid)' : 'var(--n-450)'
  const isLate = hours > targetHours * 0.75
  return (
    // Inline: right-aligned in a column of numbers, left-aligned in a card.
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 10 }}>
      <span aria-hidden style={{ width: 56, height: 3, borderRadius: 2, background: 'var(--n-200)' }}>
        <i style={{ display: 'block', height: 3, borderRadius: 2, width: `${share * 100}%`, background: colour }} />
      </span>
      <span
        style={{
          minWidth: 54,
          ...(isLate && { fontWeight: 600, color: hours > targetHours ? 'var(--error)' : 'var(--warning)' }),
        }}
      >
        {Math.floor(hours / 24)} d {String(hours % 24).padStart(2, '0')} h
      </span>
    </span>
  )
}
