import { type PhysicianRow, physicianRoutes } from '@lis/contract/physicians.ts'
import { DeletedLink } from '../../domain/deleted-link.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { physicianColumns, physicianFilters } from './physician-columns.tsx'

const hrefOf = ({ id }: PhysicianRow) => `/physicians/${id}/show`
const nameOf = ({ physFirstName, physLastName, npiNumber }: PhysicianRow) =>
  `${physFirstName} ${physLastName} (NPI ${npiNumber})`

export const PhysicianListPage = () => (
  <ListPage
    title="Physicians"
    aside={<DeletedLink kind="physician" />}
    screen="physicians"
    itemName="physician"
    searchLabel="Search Physicians"
    route={physicianRoutes.list}
    exportRoute={physicianRoutes.export}
    removeRoute={physicianRoutes.removeMany}
    create={{ href: '/physicians/create', permission: 'physicians.write' }}
    columns={physicianColumns}
    filters={physicianFilters}
    rowName={nameOf}
    rowHref={hrefOf}
  />
)
