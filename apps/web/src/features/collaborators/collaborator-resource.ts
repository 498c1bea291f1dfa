import { type Collaborator, type CollaboratorRow, collaboratorRoutes } from '@lis/contract/collaborators.ts'
import type { Resource } from '../../domain/resource/resource.ts'

/** The lab partners. */
export const collaborators: Resource<CollaboratorRow, Collaborator> = {
  kind: 'collaborator',
  path: 'collaborators',
  title: 'Collaborators',
  itemTitle: 'Collaborator',
  permission: 'collaborators.write',
  routes: collaboratorRoutes,
}

export const collaboratorName = ({ colaName }: Pick<CollaboratorRow, 'colaName'>) => colaName
