import { can } from '@lis/contract/access/permissions.ts'
import { type ClientUser, clientRecordRoutes, clientRecordLabels as label } from '@lis/contract/client-records.ts'
import { type Client, clientRoutes } from '@lis/contract/clients.ts'
import { useRole } from '../../lib/session.ts'
import { TableCard } from '../../ui/list-page/table-card.tsx'
import type { Column } from '../../ui/table/column.ts'
import { EmailText } from '../../ui/table/email-text.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

const columns: readonly Column<ClientUser>[] = [
  { key: 'userName', header: label.userName, width: 160, cell: ({ userName }) => userName },
  {
    key: 'userEmail',
    header: label.userEmail,
    width: 260,
    card: 'title',
    cell: ({ userEmail }) => <EmailText email={userEmail} />,
  },
  {
    key: 'lastLoginDate',
    header: label.lastLoginDate,
    width: 160,
    cell: ({ lastLoginDate }) => lastLoginDate && <Timestamp at={lastLoginDate} />,
  },
]
const nameOf = ({ userName }: ClientUser) => userName
const hrefOf = ({ id }: ClientUser) => `/users/${id}/show`

/** The users of this client. They are created and edited under Users. */
export const UsersTab = ({ client: { id } }: { client: Client }) => {
  const mayOpen = can(useRole(), 'users.list')
  return (
    <TableCard
      title="Authorized User"
      itemName="user"
      resource={clientRoutes.list.path}
      route={clientRecordRoutes.users}
      params={{ id }}
      columns={columns}
      rowName={nameOf}
      rowHref={mayOpen ? hrefOf : undefined}
      emptyText="Nobody can sign in for this client."
    />
  )
}
