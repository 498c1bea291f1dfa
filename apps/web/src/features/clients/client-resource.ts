import { type Client, type ClientRow, clientRoutes } from '@lis/contract/clients.ts'
import type { Resource } from '../../domain/resource/resource.ts'

/** The ordering clients; a client user sees only its own. */
export const clients: Resource<ClientRow, Client> = {
  kind: 'client',
  path: 'clients',
  title: 'Clients',
  itemTitle: 'Client',
  permission: 'clients.write',
  routes: clientRoutes,
}

export const clientTitle = ({ clientName, legacyClientId }: Pick<ClientRow, 'clientName' | 'legacyClientId'>) =>
  `${clientName} (${legacyClientId})`
