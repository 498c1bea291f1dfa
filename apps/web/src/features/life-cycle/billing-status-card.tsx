import { billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import { useSetStatus } from '../../domain/use-set-status.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Card } from '../../ui/card.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { StatusChoice } from './status-choice.tsx'

const billing = requisitionStatuses.filter(({ group }) => group === 'Billed')
const field: FieldDef = {
  name: 'reqBillStatusCode',
  label: 'Billing Status',
  kind: 'select',
  options: billing.map(({ code, description }) => ({ value: code, label: description })),
  isRequired: true,
}

const canRun = ['DELIVER', 'MISSBILL']

/** The twelve billing statuses, for super admins (DETAIL-G17). */
export const BillingStatusCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { reqStatusCode, reqBillStatusDesc, reqBillTypeDesc } = requisition
  const { moving, setStatus } = useSetStatus(requisition)
  const isBilled = billing.some(({ code }) => code === reqStatusCode)
  return (
    <Card title="Billing Status" actions={canRun.includes(reqStatusCode) && <RunBilling id={requisition.id} />}>
      <InfoList
        items={[
          ['Billing Status', reqBillStatusDesc ?? 'Not in billing yet'],
          ['Bill To', reqBillTypeDesc],
        ]}
      />
      <StatusChoice sx={{ marginTop: 3 }}>
        <FieldInput
          field={field}
          value={moving ?? (isBilled ? reqStatusCode : '')}
          isBusy={moving !== null}
          onChange={setStatus}
        />
      </StatusChoice>
    </Card>
  )
}

/** Runs the nightly billing check for this requisition: ready to bill, or a billing note about what is missing. */
const RunBilling = ({ id }: { id: number }) => {
  const notify = useNotify()
  const run = useSave(billingBatchRoutes.run, { failure: 'error', isSilent: true })
  const [isBusy, whileBusy] = useBusy()
  const start = () =>
    whileBusy(async () => {
      const { data, message } = await run({ body: { reqIds: [id] } })
      const [lacking] = data.refused
      if (lacking) notify.warning(lacking.reason)
      else notify.info(message)
    })
  return (
    <ActionButton isBusy={isBusy} onClick={start}>
      Run billing
    </ActionButton>
  )
}
