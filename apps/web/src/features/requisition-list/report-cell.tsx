import { can } from '@lis/contract/access/permissions.ts'
import { requisitionDownloadRoutes } from '@lis/contract/requisitions/downloads.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import Button from '@mui/material/Button'
import { useReportFiles } from '../../domain/report-files.ts'
import { call } from '../../lib/api.ts'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { DownloadIcon, EyeIcon } from '../../ui/icons.tsx'
import { downloadFailure, downloadOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { isCancelled } from '../../ui/table/read-list.ts'

/** For clients and physicians: the report of an order, or that there is none yet. */
export const ReportCell = ({ row }: { row: RequisitionRow }) => {
  const role = useRole()
  const { isSmall, viewNewest } = useReportFiles('VIEW')
  const [isBusy, whileBusy] = useBusy()
  if (row.isDownloadable !== 1) return <span style={{ color: 'var(--text-3)' }}>Result Pending</span>
  if (!can(role, 'reports.download')) return <>Released</>
  if (isSmall)
    return (
      <Button
        size="small"
        startIcon={<EyeIcon size={14} />}
        aria-label={`View the report of #${row.id}`}
        onClick={() => viewNewest(row.id)}
      >
        View
      </Button>
    )
  const download = () => whileBusy(() => downloadReports([row.id]))
  return (
    <ActionButton
      size="small"
      isBusy={isBusy}
      startIcon={<DownloadIcon size={14} />}
      aria-label={`Download the reports of #${row.id}`}
      onClick={download}
    >
      Download
    </ActionButton>
  )
}

/** Downloads the released reports of these requisitions: one as it is, several as a ZIP. */
const downloadReports = async (reqIds: number[]) => {
  try {
    finishDownload(
      downloadOutcome(await call(requisitionDownloadRoutes.bulkDownload, { body: { reqIds, callSource: 'VIEW' } })),
    )
  } catch (error) {
    if (!isCancelled(error)) finishDownload(downloadFailure(error))
  }
}
