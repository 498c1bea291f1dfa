import { reportLabels as label, type Report, removalInput, reportRoutes } from '@lis/contract/reports.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

const fields: FieldDef[] = [
  { name: 'reason', label: label.removalReason, kind: 'multiline', isRequired: true, isWide: true },
]

interface RemoveReportDialogProps {
  requisition: RequisitionDetail
  report: Report
  onClose: () => void
}

/** Removes a report that was never released; the history keeps it with the reason. */
export const RemoveReportDialog = ({ requisition, report, onClose }: RemoveReportDialogProps) => {
  const remove = useSave(reportRoutes.remove, { failure: 'error' })
  return (
    <FormDialog
      title={`Remove ${report.reportOriginalFileName}`}
      subject={requisitionTitle(requisition)}
      submitLabel="Remove"
      schema={removalInput}
      fields={fields}
      values={{ reason: '' }}
      onSubmit={async (body) => {
        await remove({ params: { reqID: requisition.id, reportID: report.id }, body })
      }}
      onClose={onClose}
    />
  )
}
