import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { pageSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'

/** Asks before a page with unsaved input is left, by a link, by Back, or by closing the tab. Stands once: the router knows one blocker. */
export const LeaveGuard = () => {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      // Who has no session any more is led to the login page whatever lies here.
      unsaved.isLeft() && pageSession.get() !== null && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (unsaved.has()) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])
  return (
    <ConfirmDialog
      isOpen={blocker.state === 'blocked'}
      title="Leave without saving?"
      confirmLabel="Leave"
      onConfirm={() => blocker.proceed?.()}
      onCancel={() => blocker.reset?.()}
    >
      What you typed is not saved. It is kept as a draft: come back to this form to resume it.
    </ConfirmDialog>
  )
}
