import {
  type ApiClient,
  type apiClientCreated,
  apiClientRoutes,
  apiClientLabels as label,
} from '@lis/contract/api-clients.ts'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { z } from 'zod'
import { type Resource, showAddress } from '../../domain/resource/resource.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { SecretDialog } from '../../domain/secret-dialog.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'
import { apiClientChange, apiClientFields, newApiClientFields, newApiClientSchema } from './api-client-fields.ts'
import { ClientState, clientStates } from './client-state.tsx'

export type NewApiClient = z.infer<typeof apiClientCreated>

export const apiClients: Resource<ApiClient, ApiClient, NewApiClient> = {
  kind: 'apiClient',
  path: 'api-clients',
  title: 'API clients',
  itemTitle: 'API client',
  permission: 'apiClients.manage',
  routes: apiClientRoutes,
}
export const apiClientName = ({ name }: ApiClient) => name

const columns: readonly Column<ApiClient>[] = [
  {
    key: 'name',
    header: label.name,
    sort: 'name',
    width: 220,
    isSticky: true,
    card: 'title',
    cell: ({ name }) => <span className="strong">{name}</span>,
  },
  { key: 'clientId', header: label.clientId, sort: 'clientId', width: 210, cell: ({ clientId }) => clientId },
  {
    key: 'userRoleDesc',
    header: label.userRoleCode,
    sort: 'userRoleDesc',
    width: 120,
    cell: ({ userRoleDesc }) => userRoleDesc,
  },
  {
    key: 'entityName',
    header: label.entityName,
    sort: 'entityName',
    width: 220,
    cell: ({ entityName }) => entityName,
  },
  { key: 'state', header: label.state, sort: 'state', width: 100, cell: ({ state }) => <ClientState state={state} /> },
  {
    key: 'expiryDate',
    header: label.expiryDate,
    sort: 'expiryDate',
    width: 120,
    cell: ({ expiryDate }) => <Expiry date={expiryDate} />,
  },
  {
    key: 'lastUsedDate',
    header: label.lastUsedDate,
    sort: 'lastUsedDate',
    width: 150,
    cell: ({ lastUsedDate }) => (lastUsedDate ? <Timestamp at={lastUsedDate} /> : 'Never'),
  },
]

/** A date, which includes the whole day, or an instant. */
export const Expiry = ({ date }: { date: string | null }) => {
  if (date === null) return 'Never'
  if (date.includes('T')) return <Timestamp at={date} />
  const [year, month, day] = date.split('-')
  return `${month}/${day}/${year}`
}

const filters: readonly FieldDef[] = [
  { name: 'name', label: label.name, kind: 'text' },
  { name: 'clientId', label: label.clientId, kind: 'text' },
  { name: 'entityName', label: label.entityName, kind: 'text' },
  {
    name: 'state',
    label: label.state,
    kind: 'select',
    options: Object.entries(clientStates).map(([value, [words]]) => ({ value, label: words })),
  },
]

export const ApiClientListPage = () => (
  <ResourceListPage
    resource={apiClients}
    searchLabel="Search API clients"
    columns={columns}
    filters={filters}
    rowName={apiClientName}
  />
)

export const ApiClientCreatePage = () => {
  const navigate = useNavigate()
  const [made, setMade] = useState<NewApiClient>()
  const open = ({ id }: NewApiClient) => navigate(showAddress(apiClients, id), { replace: true })
  return (
    <ResourceCreatePage
      resource={apiClients}
      title="API client"
      schema={newApiClientSchema}
      fields={newApiClientFields}
      onCreated={(created) => (created.clientSecret === null ? open(created) : setMade(created))}
    >
      {made && <ClientSecret made={made} onClose={() => open(made)} />}
    </ResourceCreatePage>
  )
}

export const ClientSecret = ({ made, onClose }: { made: NewApiClient; onClose: () => void }) => (
  <SecretDialog
    title="Secret of the API client"
    values={[
      [label.clientId, made.clientId],
      ['Client secret', made.clientSecret ?? ''],
    ]}
    hint="The other system signs in with both at /oauth2/token, by HTTP Basic."
    onClose={onClose}
  />
)

export const ApiClientEditPage = () => (
  <ResourceEditPage
    resource={apiClients}
    titleOf={apiClientName}
    subjectOf={apiClientName}
    schema={apiClientChange}
    fields={apiClientFields}
  />
)
