import { type User, userRoutes } from '@lis/contract/users.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { Timestamp } from '../../ui/table/timestamp.tsx'

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
