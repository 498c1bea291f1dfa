import type { SalesRow } from '@lis/contract/sales.ts'
import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { salesColumns, salesFilters } from './sales-columns.tsx'
import { sales, salesName } from './sales-resource.ts'

const rowName = (person: SalesRow) => `${salesName(person)} (${person.salesRepCode})`

export const SalesListPage = () => (
  <ResourceListPage
    resource={sales}
    searchLabel="Search Sales"
    columns={salesColumns}
    filters={salesFilters}
    rowName={rowName}
  />
)
