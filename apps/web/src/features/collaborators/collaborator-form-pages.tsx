import { type Collaborator, collaboratorInput } from '@lis/contract/collaborators.ts'
import { ResourceCreatePage, ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { collaboratorFields } from './collaborator-fields.ts'
import { collaboratorName, collaborators } from './collaborator-resource.ts'

const subjectOf = ({ colaName, colaAlias }: Collaborator) => `${colaName} (${colaAlias})`

export const CollaboratorCreatePage = () => (
  <ResourceCreatePage
    resource={collaborators}
    title="Collaborator Information"
    schema={collaboratorInput}
    fields={collaboratorFields}
  />
)

export const CollaboratorEditPage = () => (
  <ResourceEditPage
    resource={collaborators}
    titleOf={collaboratorName}
    subjectOf={subjectOf}
    schema={collaboratorInput}
    fields={collaboratorFields}
  />
)
