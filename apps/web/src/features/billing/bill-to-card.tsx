import { can } from '@lis/contract/access/permissions.ts'
import { type Billing, billingRoutes, insuranceLabels } from '@lis/contract/billing.ts'
import { useState } from 'react'
import { useRole } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
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
export const BillToCard = ({ billing }: { billing: Billing }) => {
  const role = useRole()
  const save = useSave(billingRoutes.saveBilling)
  const [isBusy, setBusy] = useState(false)
  const choose = async (reqBillTypeCode: string) => {
    setBusy(true)
    try {
      await save({
        params: { id: billing.reqId, billId: billing.billId },
        body: { reqBillTypeCode },
        headers: ifMatch(billing.version),
      })
    } catch {
      // Announced by `useSave`; the select shows what is stored.
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card title="Bill To">
      {can(role, 'guarantor.edit') ? (
        <FieldInput
          field={field}
          value={billing.reqBillTypeCode ?? ''}
          isBusy={isBusy}
          onChange={(value) => value !== '' && void choose(String(value))}
        />
      ) : (
        <InfoList items={[[insuranceLabels.reqBillTypeCode, billing.reqBillTypeDesc]]} />
      )}
    </Card>
  )
}
