import { can } from '@lis/contract/access/permissions.ts'
import { type Billing, isGuarantorHidden, guarantorLabels as label } from '@lis/contract/billing.ts'
import type { RequisitionDetail } from '@lis/contract/requisitions/detail.ts'
import Button from '@mui/material/Button'
import { formatLongDate } from '../../lib/formats.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { useInlineForm } from '../../ui/form/form-focus.ts'
import { InfoList } from '../../ui/form/info-list.tsx'
import { EditIcon } from '../../ui/icons.tsx'
import { GuarantorForm } from './guarantor-form.tsx'

interface GuarantorCardProps {
  requisition: RequisitionDetail
  billing: Billing
}

/** The guarantor of the bill. Hidden for patients who pay themselves once the order has left the front desk. */
export const GuarantorCard = ({ requisition, billing }: GuarantorCardProps) => {
  const role = useRole()
  const form = useInlineForm()
  const status = requisition.reqStatusCode
  if (form.isOpen) return <GuarantorForm billing={billing} status={status} onClose={form.close} />
  const isHidden = isGuarantorHidden(billing.relationTypeCode, status)
  return (
    <Card
      title="Guarantor Information"
      actions={
        can(role, 'guarantor.edit') && (
          <Button ref={form.ref} startIcon={<EditIcon />} onClick={form.open}>
            Edit
          </Button>
        )
      }
    >
      <InfoList
        items={[
          [label.relationTypeCode, billing.relationTypeDesc ?? billing.relationTypeCode],
          ...(isHidden ? [] : personItems(billing)),
        ]}
      />
    </Card>
  )
}

const personItems = (billing: Billing): [string, string | null][] => [
  [label.guarantorFirstName, billing.guarantorFirstName],
  [label.guarantorMiddleName, billing.guarantorMiddleName],
  [label.guarantorLastName, billing.guarantorLastName],
  [label.guarantorDob, billing.guarantorDob && formatLongDate(billing.guarantorDob)],
  [label.guarantorGenderCode, billing.guarantorGenderDesc],
  [label.guarantorAddr1, billing.guarantorAddr1],
  [label.guarantorAddr2, billing.guarantorAddr2],
  [label.guarantorCity, billing.guarantorCity],
  [label.guarantorStateId, billing.guarantorState],
  [label.guarantorZip, billing.guarantorZip],
]
