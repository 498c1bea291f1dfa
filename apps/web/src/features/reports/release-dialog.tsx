import { type Report, reportRoutes } from '@lis/contract/reports.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { DeliveryReceivers } from '../../domain/delivery-receivers.tsx'
import { sourceOf, useReportFiles } from '../../domain/report-files.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EyeIcon } from '../../ui/icons.tsx'

interface ReleaseDialogProps {
  report: Report
  requisition: RequisitionDetail
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before a report is released, and releases it. `reports` are those of the requisition as they are now. */
export const useRelease = (requisition: RequisitionDetail, reports: readonly Report[] | undefined) => {
  const [askedId, setAskedId] = useState<number | null>(null)
  const [releasingId, setReleasingId] = useState<number | null>(null)
  const save = useSave(reportRoutes.setLabQc, { isImmediate: true })
  const asked = reports?.find(({ id }) => id === askedId)
  const release = async ({ id, version }: Report) => {
    setAskedId(null)
    setReleasingId(id)
    const params = { reqID: requisition.id, reportID: id }
    // What went wrong is announced by the save.
    await save({ params, body: { labQcStatusCode: 'RELEASE' }, headers: ifMatch(version) }).catch(() => undefined)
    setReleasingId(null)
  }
  return {
    releasingId,
    ask: setAskedId,
    dialog: asked && (
      <ReleaseDialog
        report={asked}
        requisition={requisition}
        onConfirm={() => void release(asked)}
        onCancel={() => setAskedId(null)}
      />
    ),
  }
}

/** The confirmation before a report is released: its content, patient and recipients. */
const ReleaseDialog = ({ report, requisition, onConfirm, onCancel }: ReleaseDialogProps) => {
  const { view } = useReportFiles(sourceOf(requisition.reqStatusCode))
  const isCorrection = report.versionNo > 1
  return (
    <ConfirmDialog
      isOpen
      title={`Release ${report.reportOriginalFileName}?`}
      subject={requisitionTitle(requisition)}
      confirmLabel="Release"
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      <p>
        Version {report.versionNo}
        {isCorrection && `, a correction: ${report.correctionReason}`}. {requisition.clientName}, tests{' '}
        {requisition.testCodes.replaceAll(',', ', ')}.
      </p>
      {report.changes.length > 0 && (
        <ul style={{ margin: '4px 0', paddingLeft: 18 }}>
          {report.changes.map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      )}
      <p>
        {isCorrection
          ? 'It is sent at once to everybody who was sent the version before.'
          : 'Once released it can be delivered and downloaded.'}
      </p>
      <DeliveryReceivers requisitionId={requisition.id} />
      <Button size="small" startIcon={<EyeIcon />} onClick={() => view(report)}>
        View the report first
      </Button>
    </ConfirmDialog>
  )
}
