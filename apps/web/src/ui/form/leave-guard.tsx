import { useEffect } from 'react'
import { type Location, useBlocker } from 'react-router'
import { pageSession } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { LeaveQuestion } from './leave-question.tsx'

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
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (unsaved.has()) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [])
  return (
    <LeaveQuestion
      isOpen={blocker.state === 'blocked'}
      onLeave={() => blocker.proceed?.()}
      onCancel={() => blocker.reset?.()}
    />
  )
}
