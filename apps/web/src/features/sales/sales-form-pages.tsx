import { salesInput } from '@lis/contract/sales.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { salesFields } from './sales-fields.ts'
import { sales, salesName } from './sales-resource.ts'

export const SalesCreatePage = () => (
  <ResourceCreatePage resource={sales} title="Sales Person" schema={salesInput} fields={salesFields} />
)

export const SalesEditPage = () => (
  <ResourceEditPage resource={sales} titleOf={salesName} schema={salesInput} fields={salesFields} />
)
