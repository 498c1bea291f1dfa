import { physicianInput } from '@lis/contract/physicians.ts'
import { physicianFields } from '../../domain/physician-fields.ts'
import { ResourceEditPage } from '../../domain/resource/resource-form-pages.tsx'
import { npiNotice } from './npi.tsx'
import { physicianName, physicians, physicianTitle } from './physician-resource.ts'

// Clients are added and removed on the physician's page.
const schema = physicianInput.omit({ clientIds: true })

export const PhysicianEditPage = () => (
  <ResourceEditPage
    resource={physicians}
    titleOf={physicianName}
    subjectOf={physicianTitle}
    schema={schema}
    fields={physicianFields}
    submitLabel="Update Physician"
    notice={npiNotice}
  />
)
