import { type User, userRoutes } from '@lis/contract/users.ts'
import { useSession } from '../../lib/session.ts'
import { DeleteRecordButton } from '../../ui/form/delete-record-button.tsx'

/** Nobody can delete the own account. */
export const DeleteUserButton = ({ user }: { user: User }) => {
  const isOwn = useSession()?.access.userId === user.id
  if (isOwn) return null
  return (
    <DeleteRecordButton
      route={userRoutes.remove}
      id={user.id}
      itemName="user"
      subject={`${user.userFirstName} ${user.userLastName} (${user.userName})`}
      listPath={userRoutes.list.path}
    />
  )
}
