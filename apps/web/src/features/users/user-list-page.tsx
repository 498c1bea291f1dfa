import { type User, userRoutes } from '@lis/contract/users.ts'
import { DeletedLink } from '../../domain/deleted-link.tsx'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { userColumns, userFilters } from './user-columns.tsx'

const hrefOf = ({ id }: User) => `/users/${id}/show`
const nameOf = (user: User) => `${user.userFirstName} ${user.userLastName} (${user.userName})`

export const UserListPage = () => (
  <ListPage
    title="Users"
    aside={<DeletedLink kind="user" />}
    screen="users"
    itemName="user"
    searchLabel="Search Users"
    route={userRoutes.list}
    exportRoute={userRoutes.export}
    removeRoute={userRoutes.removeMany}
    create={{ href: '/users/create', permission: 'users.write', deniedText: 'Only management can create users' }}
    columns={userColumns}
    filters={userFilters}
    rowName={nameOf}
    rowHref={hrefOf}
  />
)
