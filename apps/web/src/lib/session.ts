import { roleOf } from '@lis/contract/access/roles.ts'
import { useSyncExternalStore } from 'react'
import { createPageSession } from './page-session.ts'
import { createRefreshFlag } from './refresh.ts'
import { createSessionStore, type WatchStorage } from './session-store.ts'
import { unsaved } from './unsaved.ts'

// A `storage` event reaches every tab except the one that wrote.
const watchOtherTabs: WatchStorage = (listener) => {
  const onStorage = (event: StorageEvent) => {
    if (event.storageArea === localStorage) listener(event.key)
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

export const sessionStore = createSessionStore(localStorage, watchOtherTabs)
export const refreshFlag = createRefreshFlag(localStorage, watchOtherTabs, Date.now)

/** The session of the page: held while there is unsaved input, until the user has signed in again. */
export const pageSession = createPageSession(sessionStore, unsaved)

/** The signed-in user's session, in all tabs; null without one. */
export const useSession = () => useSyncExternalStore(pageSession.subscribe, pageSession.get)
/** The expired session while the page waits for the user to sign in again. */
export const useHeldSession = () => useSyncExternalStore(pageSession.subscribe, pageSession.held)
/** The last session expired; false after a log-out. */
export const useHasExpired = () =>
  useSyncExternalStore(sessionStore.subscribe, () => sessionStore.endReason() === 'expired')
/** Who is viewed by an administrator, who may change nothing meanwhile. */
export const useViewedName = () => useSession()?.viewAs?.name
export const isViewing = () => sessionStore.get()?.viewAs !== undefined
/** Unknown access means guest. */
export const useRole = () => roleOf(useSession()?.access.userRoleCode)
/** One of the tabs is fetching new tokens. */
export const useIsRefreshing = () => useSyncExternalStore(refreshFlag.subscribe, refreshFlag.isRaised)
