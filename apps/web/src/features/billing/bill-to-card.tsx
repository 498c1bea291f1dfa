import { can } from '@lis/contract/access/permissions.ts'
import { type Billing, billingRoutes, insuranceLabels } from '@lis/contract/billing.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import { StageChip } from '../../domain/stage-chip.tsx'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import { useSavedChoice } from '../../lib/use-saved-choice.ts'
import { Card } from '../../ui/card.tsx'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { InfoList } from '../../ui/form/info-list.tsx'

const field: FieldDef = {
  name: 'reqBillTypeCode',
  label: insuranceLabels.reqBillTypeCode,
  kind: 'select',
  lookup: 'reqBillType',
  isRequired: true,
}

/** Who pays for the requisition; a choice is saved at once. */
export const BillToCard = ({ requisition, billing }: { requisition: RequisitionDetail; billing: Billing }) => {
  const role = useRole()
  const save = useSave(billingRoutes.saveBilling, { isImmediate: true })
  const { saving, choose } = useSavedChoice<string>(billing.version, (reqBillTypeCode, version) =>
    save({
      params: { id: billing.reqId, billId: billing.billId },
      body: { reqBillTypeCode },
      headers: ifMatch(version),
    }),
  )
  return (
    <Card title="Bill To">
      <InfoList items={[['Status', <StageChip key="status" code={requisition.reqStatusCode} />]]} />
      {can(role, 'guarantor.edit') ? (
        <FieldInput
          field={field}
          value={saving ?? billing.reqBillTypeCode ?? ''}
          isBusy={saving !== null}
          onChange={(value) => value !== '' && void choose(String(value))}
        />
      ) : (
        <InfoList items={[[insuranceLabels.reqBillTypeCode, billing.reqBillTypeDesc]]} />
      )}
    </Card>
  )
}
