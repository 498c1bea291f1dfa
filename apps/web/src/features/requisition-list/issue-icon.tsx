import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import Tooltip from '@mui/material/Tooltip'
import { Link } from 'react-router'
import { useRole } from '../../lib/session.ts'
import { WarningIcon } from '../../ui/icons.tsx'

/** Open issues of a requisition: whose they are, and the way to them. */
export const IssueIcon = ({ row }: { row: RequisitionRow }) => {
  const role = useRole()
  if (row.issueCount === 0) return null
  const text = `Requisition contains uncompleted issues: ${row.reporterDeptcodes}`
  const icon = <WarningIcon size={16} style={{ color: 'var(--error)' }} />
  return (
    // It lists departments, so it may be wider than others (SHELL-G3).
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
