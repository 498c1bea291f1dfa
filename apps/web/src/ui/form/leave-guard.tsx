import { useEffect } from 'react'
import { type Location, useBlocker } from 'react-router'
import { pageSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { LeaveDialog } from './leave-dialog.tsx'

/** Navigation state for a navigation that stays on the page but replaces the form: the next label opens another form. */
export const replacesForm = { replacesForm: true } as const

const isLeaving = (from: Location, to: Location) => from.pathname !== to.pathname || to.state?.replacesForm === true

/**
 * Asks before a page with unsaved input is left, by a link, by Back, or by closing the tab. Mounted once: the router allows one blocker.
 */
export const LeaveGuard = () => {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      // Without a session the login page opens in any case.
      unsaved.isLeft() && pageSession.get() !== null && isLeaving(currentLocation, nextLocation),
  )
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (!unsaved.has()) return
      // Saved at once, so that a user who leaves finds the draft again.
      void unsaved.sendAll()
      event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])
  return (
    <LeaveDialog
      isOpen={blocker.state === 'blocked'}
      onLeave={() => blocker.proceed?.()}
      onCancel={() => blocker.reset?.()}
    />
  )
}
