import { reportLabels as label, type ReportVersion, reportRoutes } from '@lis/contract/reports.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import IconButton from '@mui/material/IconButton'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { sourceOf, useReportFiles } from '../../domain/report-files.ts'
import { DownloadIcon, EyeIcon } from '../../ui/icons.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { LongText } from '../../ui/table/long-text.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const idOf = ({ id }: ReportVersion) => String(id)
const nameOf = ({ reportOriginalFileName, versionNo }: ReportVersion) =>
  `${reportOriginalFileName}, version ${versionNo}`

const VersionFile = ({ row, requisition }: { row: ReportVersion; requisition: RequisitionDetail }) => {
  const { view, download } = useReportFiles(sourceOf(requisition.reqStatusCode))
  const file = { id: row.reportId, requisitionId: requisition.id, versionNo: row.versionNo }
  // The current version is in the table above.
  if (row.isSuperseded === 0) return null
  return download ? (
    <IconButton size="small" aria-label={`Download ${nameOf(row)}`} onClick={() => download(file)}>
      <DownloadIcon />
    </IconButton>
  ) : (
    <IconButton size="small" aria-label={`View ${nameOf(row)}`} onClick={() => view(file)}>
      <EyeIcon />
    </IconButton>
  )
}

const columnsOf = (requisition: RequisitionDetail): Column<ReportVersion>[] => [
  { key: 'name', header: label.reportOriginalFileName, width: 128, cell: (row) => row.reportOriginalFileName },
  {
    key: 'versionNo',
    header: label.versionNo,
    width: 98,
    cell: (row) => (row.isSuperseded === 1 ? `${row.versionNo}, superseded` : row.versionNo),
  },
  { key: 'at', header: 'Date', width: 140, cell: (row) => <Timestamp at={row.createdDate} /> },
  { key: 'by', header: 'By', width: 100, cell: (row) => row.createdByName },
  { key: 'reason', header: label.correctionReason, width: 160, cell: (row) => row.correctionReason },
  { key: 'changes', header: label.changes, width: 340, cell: (row) => <LongText>{row.changes.join('\n')}</LongText> },
  {
    key: 'recipients',
    header: 'Received by',
    width: 170,
    cell: (row) => <LongText>{row.recipients.join('\n')}</LongText>,
  },
  {
    key: 'file',
    header: 'Actions',
    width: 84,
    isSticky: 'right',
    card: 'head',
    cell: (row) => <VersionFile row={row} requisition={requisition} />,
  },
]

/**
 * All versions of corrected reports, and who has which; not shown without corrections. While a correction waits for lab QC the previous
 * version is listed only here for users outside the laboratory.
 */
export const VersionsCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const query = useQuery(readList(reportRoutes.versions, { id: requisition.id }, allRows))
  const columns = useMemo(() => columnsOf(requisition), [requisition])
  if (!query.isError && !query.data?.data.length) return null
  return (
    <CardTable title="Versions" columns={columns} query={query} rowId={idOf} rowName={nameOf} empty="No corrections." />
  )
}
