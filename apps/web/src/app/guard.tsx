import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router'
import { returnAddressFor } from '../lib/return-address.ts'
import { pageSession, sessionStore, useSession } from '../lib/session.ts'
import { mayOpen } from './may-open.ts'
import type { AppRoute } from './routes.ts'

/** Opens a page only to users who may see it. The server checks every call; this only avoids pages that would be refused. */
export const Guard = ({ route, children }: { route: AppRoute; children: ReactNode }) => {
  const session = useSession()
  const location = useLocation()
  // Not a ref: the guard is remounted when the shell is removed at the end of the session.
  const lastUserId = pageSession.lastUserId()
  const hasEnded = !session && lastUserId !== undefined
  if (route.access === 'public') return hasEnded && route.isInShell ? <Navigate to="/login" replace /> : children
  if (!session) {
    // A user who logged out does not return here; a user whose session expired, or who followed a link, does.
    const hasLeft = hasEnded && sessionStore.endReason() === 'signedOut'
    const address = `${location.pathname}${location.search}${location.hash}`
    return <Navigate to="/login" replace state={hasLeft ? null : returnAddressFor(address, lastUserId)} />
  }
  if (!mayOpen(route, session)) return <Navigate to="/403" replace />
  return children
}
