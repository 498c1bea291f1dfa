import { can } from '@lis/contract/access/permissions.ts'
import type { Report } from '@lis/contract/reports.ts'
import IconButton from '@mui/material/IconButton'
import Tooltip from '@mui/material/Tooltip'
import { isReleased, sourceOf, useReportFiles } from '../../domain/report-files.ts'
import { useRole } from '../../lib/session.ts'
import { DownloadIcon, EditIcon, EyeIcon } from '../../ui/icons.tsx'
import { TrashIcon } from '../../ui/table/table-icons.tsx'

interface ReportActionsProps {
  report: Report
  /** Status of the requisition, which the history of downloads records. */
  status: string
  onCorrect: (report: Report) => void
  onRemove: (report: Report) => void
}

export const ReportActions = ({ report, status, onCorrect, onRemove }: ReportActionsProps) => {
  const mayEdit = can(useRole(), 'reports.edit')
  const { view, download } = useReportFiles(sourceOf(status))
  const name = report.reportOriginalFileName
  return (
    <span style={{ display: 'flex', justifyContent: 'center' }}>
      {(mayEdit || isReleased(report)) && (
        <IconButton size="small" aria-label={`View ${name}`} onClick={() => view(report)}>
          <EyeIcon />
        </IconButton>
      )}
      {isReleased(report) && download && (
        <IconButton size="small" aria-label={`Download ${name}`} onClick={() => download(report)}>
          <DownloadIcon />
        </IconButton>
      )}
      {mayEdit && report.isCorrectable === 1 && (
        <Tooltip title="Correct this report">
          <IconButton size="small" aria-label={`Correct ${name}`} onClick={() => onCorrect(report)}>
            <EditIcon />
          </IconButton>
        </Tooltip>
      )}
      {mayEdit && report.isCorrectable === 0 && (
        <Tooltip title="Remove this report">
          <IconButton size="small" aria-label={`Remove ${name}`} onClick={() => onRemove(report)}>
            <TrashIcon />
          </IconButton>
        </Tooltip>
      )}
    </span>
  )
}
