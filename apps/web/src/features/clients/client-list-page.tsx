import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { clientColumns, clientFilters } from './client-columns.tsx'
import { clients, clientTitle } from './client-resource.ts'

export const ClientListPage = () => (
  <ResourceListPage
    resource={clients}
    searchLabel="Search Clients"
    columns={clientColumns}
    filters={clientFilters}
    rowName={clientTitle}
  />
)
