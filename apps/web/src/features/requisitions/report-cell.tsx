import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import Button from '@mui/material/Button'
import { useRole } from '../../lib/session.ts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { downloadReports } from './download-reports.ts'

/** What a practice or a physician wants of an order: its report, or that there is none yet. */
export const ReportCell = ({ row }: { row: RequisitionRow }) => {
  const role = useRole()
  if (row.isDownloadable !== 1) return <span style={{ color: 'var(--text-3)' }}>Result Pending</span>
  if (!can(role, 'reports.download')) return <>Released</>
  return (
    <Button
      size="small"
      startIcon={<DownloadIcon size={14} />}
      aria-label={`Download the reports of #${row.id}`}
      onClick={() => downloadReports([row.id])}
    >
      Download
    </Button>
  )
}
