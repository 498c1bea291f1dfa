import { can } from '@lis/contract/access/permissions.ts'
import { type Report, type ReportHistory, reportRoutes } from '@lis/contract/reports.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { DemographicQcCell } from '../../domain/demographic-qc-cell.tsx'
import { useRole } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { UploadIcon } from '../../ui/icons.tsx'
import { CardTable } from '../../ui/table/card-table.tsx'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { useRowSelection } from '../../ui/table/table-model.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { CorrectDialog } from './correct-dialog.tsx'
import { DeliverDialog } from './deliver-dialog.tsx'
import { DeliveryCard, NotificationsCard } from './delivery-cards.tsx'
import { useRelease } from './release-dialog.tsx'
import { RemoveReportDialog } from './remove-report-dialog.tsx'
import { historyColumns, reportColumns } from './report-columns.tsx'
import { SignaturesCard } from './signatures-card.tsx'
import { UploadReport } from './upload-report.tsx'
import { VersionsCard } from './versions-card.tsx'

const idOf = ({ id }: { id: number }) => String(id)
const nameOf = ({ reportOriginalFileName }: Report) => reportOriginalFileName
const actionOf = ({ reportActionDesc }: ReportHistory) => reportActionDesc

/** Reports of one requisition: QC, files, delivery, history. */
export const ReportsTab = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { id } = requisition
  const role = useRole()
  const mayDeliver = can(role, 'reports.deliver')
  const reports = useQuery(readList(reportRoutes.list, { id }, allRows))
  const history = useQuery(readList(reportRoutes.histories, { id }, allRows))
  return (
    <>
      <QcCard requisition={requisition} />
      <ReportsCard requisition={requisition} query={reports} />
      <VersionsCard requisition={requisition} />
      {can(role, 'signOut.read') &&
        reports.data?.data.map((report) => <SignaturesCard key={report.id} report={report} />)}
      {mayDeliver && <DeliveryCard requisition={requisition} />}
      {mayDeliver && <NotificationsCard requisition={requisition} />}
      <CardTable
        title="Report History"
        columns={historyColumns}
        query={history}
        rowId={idOf}
        rowName={actionOf}
        empty="Nothing has happened to a report of this requisition yet."
      />
    </>
  )
}

const yesNo = (flag: boolean) => (flag ? 'Yes' : 'No')

const QcCard = ({ requisition }: { requisition: RequisitionDetail }) => (
  <Card title="Demographic QC">
    <InfoList
      items={[
        ['Demographic QC', <DemographicQcCell key="qc" row={requisition} />],
        [
          'Latest Reported',
          requisition.latestReportedDate && <Timestamp key="at" at={requisition.latestReportedDate} />,
        ],
        ['Can be downloaded', yesNo(requisition.isDownloadable === 1)],
      ]}
    />
  </Card>
)

interface ReportsCardProps {
  requisition: RequisitionDetail
  query: Parameters<typeof CardTable<Report>>[0]['query']
}

const ReportsCard = ({ requisition, query }: ReportsCardProps) => {
  const { id } = requisition
  const role = useRole()
  const mayEdit = can(role, 'reports.edit')
  const [open, setOpen] = useState<'upload' | 'deliver' | null>(null)
  const [corrected, setCorrected] = useState<Report | null>(null)
  const [removed, setRemoved] = useState<Report | null>(null)
  const { releasingId, ask, dialog: releaseDialog } = useRelease(requisition, query.data?.data)
  const columns = useMemo(
    () => reportColumns({ requisition, releasingId, onRelease: ask, onCorrect: setCorrected, onRemove: setRemoved }),
    [requisition, releasingId, ask],
  )
  const selection = useRowSelection(query.data?.data, idOf)
  return (
    <>
      <CardTable
        title="Reports"
        columns={columns}
        query={query}
        rowId={idOf}
        rowName={nameOf}
        selection={can(role, 'reports.deliver') ? selection : undefined}
        empty={mayEdit ? 'Upload a report, or make one from the results.' : 'No report is released at present.'}
        actions={
          mayEdit && (
            <>
              {selection.rows.length > 0 && (
                <Button onClick={() => setOpen('deliver')}>Deliver {selection.rows.length} selected</Button>
              )}
              <MakeReport requisitionId={id} />
              <Button variant="contained" startIcon={<UploadIcon />} onClick={() => setOpen('upload')}>
                Upload Report
              </Button>
            </>
          )
        }
      />
      {open === 'upload' && <UploadReport requisition={requisition} onClose={() => setOpen(null)} />}
      {open === 'deliver' && (
        <DeliverDialog
          requisition={requisition}
          reports={selection.rows}
          onClose={() => {
            setOpen(null)
            selection.clear()
          }}
        />
      )}
      {releaseDialog}
      {corrected && <CorrectDialog requisition={requisition} report={corrected} onClose={() => setCorrected(null)} />}
      {removed && <RemoveReportDialog requisition={requisition} report={removed} onClose={() => setRemoved(null)} />}
    </>
  )
}

/** Creates a PDF of the current results, which waits for lab QC. */
const MakeReport = ({ requisitionId }: { requisitionId: number }) => {
  const make = useSave(reportRoutes.make)
  const [isBusy, whileBusy] = useBusy()
  const run = () => whileBusy(() => make({ params: { id: requisitionId }, body: {} }))
  return (
    <ActionButton isBusy={isBusy} startIcon={<PlusIcon />} onClick={run}>
      Make report
    </ActionButton>
  )
}
