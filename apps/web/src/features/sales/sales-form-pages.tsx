import { salesInput, salesLabels } from '@lis/contract/sales.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { sales, salesName } from './sales-resource.ts'

export const SalesCreatePage = () => (
  <ResourceCreatePage resource={sales} title="Sales Person" schema={salesInput} fields={salesFields} />
)

export const SalesEditPage = () => (
  <ResourceEditPage resource={sales} titleOf={salesName} schema={salesInput} fields={salesFields} />
)

/** For create and edit. */
const salesFields: readonly FieldDef[] = [
  { name: 'salesFirstName', label: salesLabels.salesFirstName, kind: 'text', isRequired: true },
  { name: 'salesMiddleName', label: salesLabels.salesMiddleName, kind: 'text' },
  { name: 'salesLastName', label: salesLabels.salesLastName, kind: 'text', isRequired: true },
  { name: 'salesEmail', label: salesLabels.salesEmail, kind: 'text', isRequired: true },
  { name: 'salesPhone', label: salesLabels.salesPhone, kind: 'phone' },
  { name: 'salesTitle', label: salesLabels.salesTitle, kind: 'select', lookup: 'salesTitle', isRequired: true },
  { name: 'salesTypeCode', label: salesLabels.salesTypeCode, kind: 'select', lookup: 'salesType', isRequired: true },
  {
    name: 'salesRepCode',
    label: salesLabels.salesRepCode,
    kind: 'input',
    hint: 'Left empty: initials and number',
  },
  { name: 'reportToId', label: salesLabels.reportToId, kind: 'autocomplete', lookup: 'sales' },
  { name: 'salesCompanyName', label: salesLabels.salesCompanyName, kind: 'text' },
  { name: 'salesNote', label: salesLabels.salesNote, kind: 'multiline', isWide: true },
]
