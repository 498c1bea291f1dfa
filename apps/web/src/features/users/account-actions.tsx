import { messages } from '@lis/contract/messages.ts'
import { type User, userRoutes } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { formatPhone } from '../../lib/formats.ts'
import { useSession } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { DeniedButton } from '../../ui/denied-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'

/** After too many wrong passwords or codes: until when the user is locked out, and a button to unlock. */
export const LockOutBanner = ({ user, until }: { user: User; until: string }) => {
  const unlock = useSave(userRoutes.unlock)
  const [isBusy, whileBusy] = useBusy()
  const run = () =>
    whileBusy(async () => {
      await unlock({ params: { id: user.id } })
    })
  return (
    <Banner
      type="warning"
      actions={
        <ActionButton size="small" isBusy={isBusy} onClick={run}>
          Unlock
        </ActionButton>
      }
    >
      Locked out until <Timestamp at={until} /> after too many wrong passwords or codes. After wrong passwords, other
      addresses and browsers that have signed in before still get in.
    </Banner>
  )
}

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

/** For users who have lost their authenticator app: codes are sent by SMS again. Users change their own in the profile. */
export const ResetSecondFactorButton = ({ user }: { user: User }) => {
  const [isOpen, setOpen] = useState(false)
  const [isBusy, whileBusy] = useBusy()
  const reset = useSave(userRoutes.resetSecondFactor, { failure: 'error', invalidates: [] })
  const isOwn = useSession()?.access.userId === user.id
  const confirm = () =>
    whileBusy(async () => {
      await reset({ params: { id: user.id } })
      setOpen(false)
    })
  if (isOwn) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>Codes by SMS</Button>
      <ConfirmDialog
        isOpen={isOpen}
        title="Send the codes to the phone?"
        subject={`${user.userFirstName} ${user.userLastName} (${user.userName})`}
        confirmLabel="Send codes by SMS"
        isBusy={isBusy}
        onConfirm={confirm}
        onCancel={() => setOpen(false)}
      >
        For somebody who has lost the authenticator app; be sure who is asking. From now on the codes go to{' '}
        {formatPhone(user.userPhone)}, the app no longer works, and the person is signed out everywhere.
      </ConfirmDialog>
    </>
  )
}
