import { billingRoutes, customIcdInput, icdLabels as label } from '@lis/contract/billing.ts'
import { messages } from '@lis/contract/messages.ts'
import { z } from 'zod'
import { useSave } from '../../lib/use-save.ts'
import type { FieldDef, Values } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'

/** The form's values: either an option from the list, or a custom code. */
const icdForm = z.object({
  icdIds: z.array(z.number()).min(1, messages.required(label.icdIds)),
  isCustom: z.literal([0, 1]),
  ...customIcdInput.shape,
})

const isCustom = ({ isCustom: ticked }: Values) => ticked === 1
const isListed = (values: Values) => !isCustom(values)

const fields: readonly FieldDef[] = [
  { name: 'isCustom', label: label.customIcd, kind: 'singleCheckbox', isWide: true },
  {
    name: 'icdIds',
    label: label.icdIds,
    kind: 'lookupMultiSelect',
    lookup: 'icds',
    isRequired: true,
    isWide: true,
    isHidden: isCustom,
    hint: 'Search by code or by words of the description',
  },
  { name: 'icdCode', label: label.icdCode, kind: 'text', isRequired: true, isHidden: isListed },
  { name: 'icdDesc', label: label.icdDesc, kind: 'text', isRequired: true, isWide: true, isHidden: isListed },
]

export const IcdDialog = ({ requisitionId, onClose }: { requisitionId: number; onClose: () => void }) => {
  const add = useSave(billingRoutes.addIcds)
  return (
    <FormDialog
      title="Add ICD"
      submitLabel="Add"
      schema={icdForm}
      fields={fields}
      onSubmit={({ icdIds, isCustom: isOwn, icdCode, icdDesc }) =>
        add({
          params: { id: requisitionId },
          body: isOwn === 1 ? { icdIds: [], customIcd: { icdCode, icdDesc } } : { icdIds },
        })
      }
      onClose={onClose}
    />
  )
}
