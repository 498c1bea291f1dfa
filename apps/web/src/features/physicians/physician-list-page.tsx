import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { physicianColumns, physicianFilters } from './physician-columns.tsx'
import { physicians, physicianTitle } from './physician-resource.ts'

export const PhysicianListPage = () => (
  <ResourceListPage
    resource={physicians}
    searchLabel="Search Physicians"
    columns={physicianColumns}
    filters={physicianFilters}
    rowName={physicianTitle}
  />
)
