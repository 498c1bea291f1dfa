import { messages } from '@lis/contract/messages.ts'
import { type User, userRoutes } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useSession } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

/** Asks first; nobody can delete the own account. */
export const DeleteUserButton = ({ user }: { user: User }) => {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const remove = useSave(userRoutes.remove, { failure: 'error', invalidates: [userRoutes.list.path] })
  const navigate = useNavigate()
  const isOwn = useSession()?.access.userId === user.id
  const confirm = async () => {
    setBusy(true)
    try {
      await remove({ params: { id: user.id } })
      navigate('/users', { replace: true })
    } catch {
      // The notice says why; the question stays open for another try.
    } finally {
      setBusy(false)
    }
  }
  if (isOwn) return null
  return (
    <>
      <Button color="error" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        title={messages.deleteOne('user')}
        subject={`${user.userFirstName} ${user.userLastName} (${user.userName})`}
        confirmLabel="Delete"
        isDestructive
        isBusy={isBusy}
        onConfirm={confirm}
        onCancel={() => setOpen(false)}
      >
        {messages.deleteWarning}
      </ConfirmDialog>
    </>
  )
}
