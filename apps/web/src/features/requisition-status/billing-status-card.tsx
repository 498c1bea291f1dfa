import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import { Card } from '../../ui/card.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { useSetStatus } from './use-set-status.ts'

const billing = requisitionStatuses.filter(({ group }) => group === 'Billed')
const field: FieldDef = {
  name: 'reqBillStatusCode',
  label: 'Billing Status',
  kind: 'select',
  options: billing.map(({ code, description }) => ({ value: code, label: description })),
  isRequired: true,
}

/** The twelve stages of billing, for super admins (DETAIL-G17). */
export const BillingStatusCard = ({ requisition }: { requisition: RequisitionDetail }) => {
  const { reqStatusCode, reqBillStatusDesc, reqBillTypeDesc } = requisition
  const { moving, setStatus } = useSetStatus(requisition)
  const isBilled = billing.some(({ code }) => code === reqStatusCode)
  return (
    <Card title="Billing Status">
      <InfoList
        items={[
          ['Billing Status', reqBillStatusDesc ?? 'Not in billing yet'],
          ['Bill To', reqBillTypeDesc],
        ]}
      />
      <div style={{ maxWidth: 320, marginTop: 12 }}>
        <FieldInput
          field={field}
          value={moving ?? (isBilled ? reqStatusCode : '')}
          disabled={moving !== null}
          onChange={setStatus}
        />
      </div>
    </Card>
  )
}
