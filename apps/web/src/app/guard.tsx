import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router'
import { returnAddressFor } from '../lib/return-address.ts'
import { pageSession, sessionStore, useSession } from '../lib/session.ts'
import { mayOpen } from './may-open.ts'
import type { AppRoute } from './routes.ts'

/** Lets in who may come in. The server decides again on every call; this only spares people a page that would refuse them. */
export const Guard = ({ route, children }: { route: AppRoute; children: ReactNode }) => {
  const session = useSession()
  const location = useLocation()
  // Not a ref: the guard is mounted again when the menu around the page goes with the session.
  const lastUserId = pageSession.lastUserId()
  const hasEnded = !session && lastUserId !== undefined
  if (route.access === 'public') return hasEnded && route.isInShell ? <Navigate to="/login" replace /> : children
  if (!session) {
    // Who logged out does not want to come back here; who was cut off, or came by a link, does.
    const hasLeft = hasEnded && sessionStore.endReason() === 'signedOut'
    const address = `${location.pathname}${location.search}${location.hash}`
    return <Navigate to="/login" replace state={hasLeft ? null : returnAddressFor(address, lastUserId)} />
  }
  if (!mayOpen(route, session)) return <Navigate to="/403" replace />
  return children
}
