import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { collaboratorColumns } from './collaborator-columns.tsx'
import { collaboratorFilters } from './collaborator-fields.ts'
import { collaboratorName, collaborators } from './collaborator-resource.ts'

export const CollaboratorListPage = () => (
  <ResourceListPage
    resource={collaborators}
    columns={collaboratorColumns}
    filters={collaboratorFilters}
    rowName={collaboratorName}
  />
)
