import { useDeferredValue, useEffect } from 'react'
import { RouterProvider } from 'react-router/dom'
import { askForNewPassword } from '../features/sign-in/pending-password-change.ts'
import { events } from '../lib/events.ts'
import { useIsRefreshing } from '../lib/session.ts'
import { unsaved } from '../lib/unsaved.ts'
import { SpinnerOverlay } from '../ui/spinner-overlay.tsx'
import { Providers } from './providers.tsx'
import { router } from './router.tsx'

const RefreshOverlay = () => useIsRefreshing() && <SpinnerOverlay label="Renewing your session" />

export const App = () => {
  useEffect(
    () =>
      events.on('passwordExpired', (who) => {
        // Nothing typed is lost: the sign-in over the page asks for the new password itself.
        if (unsaved.has()) return
        // The session ends with it, which leads to the login page as always, and from there back to this one.
        askForNewPassword(who)
      }),
    [],
  )
  // After those who listen to what the page says, and in slices, between which the browser may do other things.
  const isPageDue = useDeferredValue(true, false)
  return (
    <Providers>
      {isPageDue && <RouterProvider router={router} />}
      <RefreshOverlay />
    </Providers>
  )
}
