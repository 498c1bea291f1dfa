import { messages } from '@lis/contract/messages.ts'
import { type User, userRoutes } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { useSession } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DeniedButton } from '../../ui/denied-button.tsx'

/** Sends the user a link to set a new password; the old one works until the link is used. */
export const ResetPasswordButton = ({ user }: { user: User }) => {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, whileBusy] = useBusy()
  const send = useSave(userRoutes.sendPasswordLink, { failure: 'error', invalidates: [] })
  const adminId = useSession()?.access.userId ?? null
  const confirm = () =>
    whileBusy(async () => {
      await send({ params: { userId: user.id }, body: { adminId } })
      setOpen(false)
    })
  return (
    <>
      {user.userStatusCode === 'LCK' ? (
        <DeniedButton reason={messages.accountDisabled}>Reset Password</DeniedButton>
      ) : (
        <Button onClick={() => setOpen(true)}>Reset Password</Button>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        title="Send a password reset link?"
        subject={`${user.userFirstName} ${user.userLastName} (${user.userName})`}
        confirmLabel="Send link"
        isBusy={isBusy}
        onConfirm={confirm}
        onCancel={() => setOpen(false)}
      >
        A link to set a new password goes to {user.userEmail}. It can be used once.
      </ConfirmDialog>
    </>
  )
}
