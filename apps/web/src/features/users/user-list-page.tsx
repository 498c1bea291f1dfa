import { ResourceListPage } from '../../domain/resource/resource-list-page.tsx'
import { userColumns, userFilters } from './user-columns.tsx'
import { fullUserName, users } from './user-resource.ts'

export const UserListPage = () => (
  <ResourceListPage
    resource={users}
    deniedText="Only management can create users"
    searchLabel="Search Users"
    columns={userColumns}
    filters={userFilters}
    rowName={fullUserName}
  />
)
