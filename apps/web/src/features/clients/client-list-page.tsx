import { type ClientRow, clientRoutes } from '@lis/contract/clients.ts'
import { DeletedLink } from '../../domain/deleted-link.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { clientColumns, clientFilters } from './client-columns.tsx'

const nameOf = ({ clientName, legacyClientId }: ClientRow) => `${clientName} (${legacyClientId})`
const hrefOf = ({ id }: ClientRow) => `/clients/${id}/show`

/** The ordering practices; a client user finds its own here, and no other. */
export const ClientListPage = () => (
  <ListPage
    title="Clients"
    aside={<DeletedLink kind="client" />}
    screen="clients"
    itemName="client"
    searchLabel="Search Clients"
    route={clientRoutes.list}
    exportRoute={clientRoutes.export}
    removeRoute={clientRoutes.removeMany}
    create={{ href: '/clients/create', permission: 'clients.write' }}
    columns={clientColumns}
    filters={clientFilters}
    rowName={nameOf}
    rowHref={hrefOf}
  />
)
