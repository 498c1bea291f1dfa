import { type User, userRoutes } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import { useState } from 'react'
import { formatPhone } from '../../lib/formats.ts'
import { useSession } from '../../lib/session.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'

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
