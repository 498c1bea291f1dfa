import { type User, userRoutes } from '@lis/contract/users.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { useSave } from '../../lib/use-save.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { Moment } from '../../ui/moment.tsx'

/** Too many wrong passwords or codes: until when, and the way to let the person try again before that. */
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
      Locked out until <Moment at={until} /> after too many wrong passwords or codes. After wrong passwords, other
      addresses and browsers that have signed in before still get in.
    </Banner>
  )
}
