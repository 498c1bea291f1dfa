import { type SalesRow, salesRoutes } from '@lis/contract/sales.ts'
import { DeletedLink } from '../../domain/deleted-link.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { salesColumns, salesFilters } from './sales-columns.tsx'

const hrefOf = ({ id }: SalesRow) => `/sales/${id}/show`
const nameOf = (person: SalesRow) => `${person.salesFirstName} ${person.salesLastName} (${person.salesRepCode})`

export const SalesListPage = () => (
  <ListPage
    title="Sales"
    aside={<DeletedLink kind="sales" />}
    screen="sales"
    itemName="sales person"
    searchLabel="Search Sales"
    route={salesRoutes.list}
    exportRoute={salesRoutes.export}
    removeRoute={salesRoutes.removeMany}
    create={{ href: '/sales/create', permission: 'sales.write' }}
    columns={salesColumns}
    filters={salesFilters}
    rowName={nameOf}
    rowHref={hrefOf}
  />
)
