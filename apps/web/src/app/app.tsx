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
        // The sign-in dialog over the page asks for the new password, so that unsaved input is kept.
        if (unsaved.has()) return
        // Ending the session opens the login page, which returns to this one after sign-in.
        askForNewPassword(who)
      }),
    [],
  )
  // Rendered after the listeners are registered, and as an interruptible update.
  const isPageDue = useDeferredValue(true, false)
  return (
    <Providers>
      {isPageDue && <RouterProvider router={router} />}
      <RefreshOverlay />
    </Providers>
  )
}
