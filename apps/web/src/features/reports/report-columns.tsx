import { reportLabels as label, labQcDate, type Report, type ReportHistory } from '@lis/contract/reports.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { styled } from '@mui/material/styles'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { LabQcCell } from './lab-qc-cell.tsx'
import { ReportActions } from './report-actions.tsx'

/** Long reasons are truncated here; the history shows them completely. */
const Truncated = styled('span')({
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: 6,
  overflow: 'hidden',
  padding: '2px 0',
  color: 'var(--warning)',
  fontWeight: 400,
  whiteSpace: 'normal',
})
const timestamp = (at: string | null) => at && <Timestamp at={at} />

interface ReportUse {
  requisition: RequisitionDetail
  /** The report whose release is on its way. */
  releasingId: number | null
  onRelease: (reportId: number) => void
  onCorrect: (report: Report) => void
  onRemove: (report: Report) => void
}

/** DELIV-G9. */
export const reportColumns = ({
  requisition,
  releasingId,
  onRelease,
  onCorrect,
  onRemove,
}: ReportUse): Column<Report>[] => [
  {
    key: 'reportOriginalFileName',
    header: label.reportOriginalFileName,
    width: 264,
    isSticky: true,
    card: 'title',
    cell: (row) => (
      <span>
        {row.versionNo > 1 && <span style={{ color: 'var(--warning)' }}>Version {row.versionNo} </span>}
        <strong>{row.reportOriginalFileName}</strong>
        {row.guardFinding && (
          <Truncated>{`Kept by decision: ${row.guardFinding}. Reason: ${row.guardReason}`}</Truncated>
        )}
      </span>
    ),
  },
  {
    key: 'labQcStatusCode',
    header: label.labQcStatusCode,
    width: 140,
    visibleTo: 'reports.seeLabQc',
    cell: (row) => <LabQcCell report={row} isReleasing={row.id === releasingId} onRelease={onRelease} />,
  },
  {
    key: 'qcDate',
    header: label.qcDate,
    width: 130,
    visibleTo: 'reports.seeLabQc',
    cell: (row) => timestamp(labQcDate(row)),
  },
  {
    key: 'qcTypeDesc',
    header: label.qcTypeDesc,
    width: 120,
    visibleTo: 'reports.seeLabQc',
    cell: (row) => row.qcTypeDesc,
  },
  {
    key: 'reportIsDelivered',
    header: label.reportIsDelivered,
    width: 80,
    cell: (row) => (row.reportIsDelivered === 1 ? 'Yes' : 'No'),
  },
  {
    key: 'latestTransmitMethodDesc',
    header: label.latestTransmitMethodDesc,
    width: 150,
    cell: (row) => row.latestTransmitMethodDesc,
  },
  {
    key: 'latestDeliveryDate',
    header: label.latestDeliveryDate,
    width: 140,
    cell: (row) => timestamp(row.latestDeliveryDate),
  },
  {
    key: 'latestDeliveredByName',
    header: label.latestDeliveredByName,
    width: 140,
    cell: (row) => row.latestDeliveredByName,
  },
  {
    key: 'actions',
    header: 'Actions',
    width: 116,
    isSticky: 'right',
    card: 'head',
    cell: (row) => (
      <ReportActions report={row} status={requisition.reqStatusCode} onCorrect={onCorrect} onRemove={onRemove} />
    ),
  },
]

export const historyColumns: Column<ReportHistory>[] = [
  {
    key: 'reportActionDate',
    header: label.reportActionDate,
    width: 140,
    cell: (row) => <Timestamp at={row.reportActionDate} />,
  },
  {
    key: 'reportActionDesc',
    header: label.reportActionDesc,
    width: 340,
    card: 'title',
    cell: (row) => row.reportActionDesc,
  },
  { key: 'reportActionByName', header: label.reportActionByName, width: 160, cell: (row) => row.reportActionByName },
  {
    key: 'reportOriginalFileName',
    header: label.reportOriginalFileName,
    width: 200,
    cell: (row) => row.reportOriginalFileName,
  },
]
