import { type Physician, physicianRoutes } from '@lis/contract/physicians.ts'
import { DeleteRecordButton } from '../../ui/form/delete-record-button.tsx'

export const DeletePhysicianButton = ({ physician }: { physician: Physician }) => (
  <DeleteRecordButton
    route={physicianRoutes.remove}
    id={physician.id}
    itemName="physician"
    subject={`${physician.physFirstName} ${physician.physLastName} (NPI ${physician.npiNumber})`}
    listPath={physicianRoutes.list.path}
  />
)
