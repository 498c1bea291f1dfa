import { useEffect, useRef } from 'react'
import { type Location, useBlocker } from 'react-router'
import { pageSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { ConfirmDialog } from '../confirm-dialog.tsx'

/** The state of a navigation that stays on the page and yet takes the form away: the next label opens a form of its own. */
export const replacesForm = { replacesForm: true } as const

const isLeaving = (from: Location, to: Location) => from.pathname !== to.pathname || to.state?.replacesForm === true

/** Asks before a page with unsaved input is left, by a link, by Back, or by closing the tab. Stands once: the router knows one blocker. */
export const LeaveGuard = () => {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      // Who has no session any more is led to the login page whatever lies here.
      unsaved.isLeft() && pageSession.get() !== null && isLeaving(currentLocation, nextLocation),
  )
  // While the window fades the page behind it is gone already, and its words with it.
  const told = useRef<string[]>([])
  if (blocker.state === 'blocked') told.current = unsaved.told()
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
      {told.current.map((words) => (
        <p key={words}>{words}</p>
      ))}
    </ConfirmDialog>
  )
}
