import { type User, userRoutes } from '@lis/contract/users.ts'
import { useEffect, useRef, useState } from 'react'
import { useSession } from '../../lib/session.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { useSave } from '../../lib/use-save.ts'
import { Switch } from '../../ui/form/toggles.tsx'
import { Spinner } from '../../ui/spinner.tsx'

const delayMs = 500

/** Enables and disables the account; of several quick clicks the last one is sent. */
export const UserStatusSwitch = ({ user }: { user: User }) => {
  const [wanted, setWanted] = useState<User['userStatusCode'] | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const setStatus = useSave(userRoutes.setStatus)
  const isOwn = useSession()?.access.userId === user.id
  const isOn = (wanted ?? user.userStatusCode) === 'ACT'
  useUnsaved(`user-status:${user.id}`, wanted !== null, 'The status of a user is not saved.')
  useEffect(() => () => clearTimeout(timer.current), [])
  const turn = (status: User['userStatusCode']) => {
    clearTimeout(timer.current)
    setWanted(status === user.userStatusCode ? null : status)
    if (status === user.userStatusCode) return
    timer.current = setTimeout(async () => {
      try {
        await setStatus({ params: { id: user.id }, body: { userStatusCode: status } })
      } catch {
        // The notice shows the error; the switch shows the stored value again.
      } finally {
        setWanted(null)
      }
    }, delayMs)
  }
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 8, margin: '-6px 0' }}>
      <Switch
        label={isOn ? 'Enabled' : 'Disabled'}
        aria-label="Account enabled"
        checked={isOn}
        disabled={isOwn}
        onChange={(event) => turn(event.target.checked ? 'ACT' : 'LCK')}
      />
      {wanted !== null && <Spinner role="status" aria-label="Saving" sx={{ color: 'var(--p)' }} />}
    </span>
  )
}
