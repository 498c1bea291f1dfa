import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import { DeleteRecordButton } from '../../ui/form/delete-record-button.tsx'

export const DeleteClientButton = ({ client: { id, clientName, legacyClientId } }: { client: Client }) => (
  <DeleteRecordButton
    route={clientRoutes.remove}
    id={id}
    itemName="client"
    subject={`${clientName} (${legacyClientId})`}
    listPath={clientRoutes.list.path}
  />
)
