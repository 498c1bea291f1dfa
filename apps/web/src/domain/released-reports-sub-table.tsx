import { reportLabels as label, type Report, reportRoutes } from '@lis/contract/reports.ts'
import IconButton from '@mui/material/IconButton'
import { DownloadIcon, EyeIcon } from '../ui/icons.tsx'
import type { Column } from '../ui/table/column.ts'
import { SubTable } from '../ui/table/sub-table.tsx'
import { Timestamp } from '../ui/timestamp.tsx'
import { isReleased, useReportFiles } from './report-files.ts'

const ReleasedFile = ({ report }: { report: Report }) => {
  const { view, download } = useReportFiles('RELEASE')
  if (!isReleased(report)) return null
  const name = report.reportOriginalFileName
  return download ? (
    <IconButton size="small" aria-label={`Download ${name}`} onClick={() => download(report)}>
      <DownloadIcon />
    </IconButton>
  ) : (
    <IconButton size="small" aria-label={`View ${name}`} onClick={() => view(report)}>
      <EyeIcon />
    </IconButton>
  )
}

const columns: Column<Report>[] = [
  { key: 'file', header: label.reportOriginalFileName, cell: (row) => row.reportOriginalFileName },
  // Beside the name, where a phone shows it without scrolling.
  { key: 'download', header: 'Report', cell: (row) => <ReleasedFile report={row} /> },
  { key: 'released', header: label.releaseDate, cell: (row) => row.releaseDate && <Timestamp at={row.releaseDate} /> },
  { key: 'method', header: label.latestTransmitMethodDesc, cell: (row) => row.latestTransmitMethodDesc },
  {
    key: 'delivered',
    header: label.latestDeliveryDate,
    cell: (row) => row.latestDeliveryDate && <Timestamp at={row.latestDeliveryDate} />,
  },
]

const idOf = ({ id }: Report) => String(id)

/** Under a row of the requisition list: its released reports. */
export const ReleasedReportsSubTable = ({ requisitionId }: { requisitionId: number }) => (
  <SubTable
    title="Released reports"
    columns={columns}
    route={reportRoutes.list}
    params={{ id: requisitionId }}
    rowId={idOf}
    level={2}
  />
)
