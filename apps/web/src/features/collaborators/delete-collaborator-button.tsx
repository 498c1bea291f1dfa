import { type Collaborator, collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { DeleteRecordButton } from '../../ui/form/delete-record-button.tsx'

export const DeleteCollaboratorButton = ({ collaborator }: { collaborator: Collaborator }) => (
  <DeleteRecordButton
    route={collaboratorRoutes.remove}
    id={collaborator.id}
    itemName="collaborator"
    subject={`${collaborator.colaName} (${collaborator.colaAlias})`}
    listPath={collaboratorRoutes.list.path}
  />
)
