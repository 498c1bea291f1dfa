import {
  type Billing,
  billingOrderOptions,
  billingRoutes,
  type Insurance,
  insuranceEdit,
  insuranceInput,
  insuredBillTypes,
  insuranceLabels as label,
  newBillingOrderLabel,
} from '@lis/contract/billing.ts'
import type { Option } from '@lis/contract/lookups.ts'
import { useMemo } from 'react'
import type { z } from 'zod'
import { useLookup } from '../../lib/use-lookup.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

interface InsuranceDialogProps {
  billing: Billing
  /** The insurance to edit; undefined for a new one. */
  insurance?: Insurance | undefined
  taken: readonly number[]
  onClose: () => void
}

/** 'Edit insurance', and the form for a new one. Choosing an order that is taken swaps the two. */
export const InsuranceDialog = ({ billing, insurance, taken, onClose }: InsuranceDialogProps) => {
  const add = useSave(billingRoutes.addInsurance)
  const update = useSave(billingRoutes.saveInsurance)
  const params = { id: billing.reqId, billId: billing.billId }
  const { options } = useLookup('reqBillType')
  const fields = useMemo(
    () =>
      fieldsFor(
        insurance !== undefined,
        options.filter(({ value }) => insuredBillTypes.includes(String(value))),
      ),
    [insurance, options],
  )
  const free = billingOrderOptions.find(({ value }) => !taken.includes(value))?.value
  return (
    <FormDialog
      title={insurance ? 'Edit insurance' : 'Add insurance'}
      submitLabel={insurance ? 'Update' : 'Add'}
      columns={2}
      schema={insurance ? insuranceEdit : insuranceInput}
      fields={
        insurance
          ? fields
          : fields.map((field) => (field.name === 'billingOrder' ? { ...field, initial: free } : field))
      }
      values={insurance}
      version={insurance?.version}
      onSubmit={(body: z.output<typeof insuranceInput>, { version }) =>
        insurance
          ? update({ params: { ...params, insId: insurance.id }, body, headers: ifMatch(version) })
          : add({ params, body })
      }
      onClose={onClose}
    />
  )
}

const fieldsFor = (isEdit: boolean, billTypes: readonly Option[]): readonly FieldDef[] => [
  {
    name: 'billingOrder',
    label: isEdit ? newBillingOrderLabel : label.billingOrder,
    kind: 'select',
    options: billingOrderOptions,
    isRequired: true,
    ...(isEdit && { hint: 'Choosing an order that is in use swaps the two insurances' }),
  },
  { name: 'reqBillTypeCode', label: label.reqBillTypeCode, kind: 'select', options: billTypes },
  {
    name: 'insuranceCompany',
    label: label.insuranceCompany,
    kind: 'autocomplete',
    lookup: 'insuranceCompanies',
    isRequired: true,
    isWide: true,
    // The number belongs to the company.
    clears: ['insuranceCompanyNo'],
  },
  { name: 'insuranceCompanyNo', label: label.insuranceCompanyNo, kind: 'text', hint: 'Left empty: as in the list' },
  { name: 'policyHolder', label: label.policyHolder, kind: 'text' },
  { name: 'policyNo', label: label.policyNo, kind: 'text' },
  { name: 'groupNo', label: label.groupNo, kind: 'text' },
  { name: 'insuredDob', label: label.insuredDob, kind: 'date', isBirthDate: true },
]
