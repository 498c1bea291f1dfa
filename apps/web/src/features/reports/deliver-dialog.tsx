import { deliveryInput, deliveryLabels, deliveryRoutes, transmitMethods } from '@lis/contract/deliveries.ts'
import type { Report } from '@lis/contract/reports.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionTitle } from '../../domain/requisition-title.ts'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

const fields: FieldDef[] = [
  {
    name: 'transmitMethodCode',
    label: deliveryLabels.transmitMethodCode,
    kind: 'select',
    isRequired: true,
    isWide: true,
    options: Object.entries(transmitMethods).map(([value, label]) => ({ value, label })),
  },
]

interface DeliverDialogProps {
  requisition: RequisitionDetail
  reports: readonly Report[]
  onClose: () => void
}

/** Sends chosen reports to the client, by a chosen method. */
export const DeliverDialog = ({ requisition, reports, onClose }: DeliverDialogProps) => {
  const deliver = useSave(deliveryRoutes.deliver)
  return (
    <FormDialog
      title={`Deliver ${reports.map((report) => report.reportOriginalFileName).join(', ')}`}
      subject={requisitionTitle(requisition)}
      submitLabel="Deliver"
      schema={deliveryInput.pick({ transmitMethodCode: true })}
      fields={fields}
      onSubmit={async ({ transmitMethodCode }) => {
        const reportIds = reports.map(({ id }) => id)
        await deliver({ params: { id: requisition.id }, body: { reportIds, transmitMethodCode } })
      }}
      onClose={onClose}
    />
  )
}
