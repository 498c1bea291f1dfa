import { roleOf } from '@lis/contract/access/roles.ts'
import { useSyncExternalStore } from 'react'
import { createPageSession } from './page-session.ts'
import { createRefreshFlag } from './refresh.ts'
import { createSessionStore, type WatchStorage } from './session-store.ts'
import { unsaved } from './unsaved.ts'

// A `storage` event reaches every tab but the one that wrote, which tells itself.
const watchOtherTabs: WatchStorage = (listener) => {
  const onStorage = (event: StorageEvent) => {
    if (event.storageArea === localStorage) listener(event.key)
  }
  window.addEventListener('storage', onStorage)
  return () => window.removeEventListener('storage', onStorage)
}

export const sessionStore = createSessionStore(localStorage, watchOtherTabs)
export const refreshFlag = createRefreshFlag(localStorage, watchOtherTabs, Date.now)

/** The same, but kept by a page with unsaved input until its person has signed in again. */
export const pageSession = createPageSession(sessionStore, unsaved)

/** Who is signed in, in all tabs; null for nobody. */
export const useSession = () => useSyncExternalStore(pageSession.subscribe, pageSession.get)
/** The session that ran out under unsaved input, while the page waits for a new one. */
export const useHeldSession = () => useSyncExternalStore(pageSession.subscribe, pageSession.held)
/** The last session ended by itself; whoever logged out does not hear of it. */
export const useHasExpired = () =>
  useSyncExternalStore(sessionStore.subscribe, () => sessionStore.endReason() === 'expired')
/** Unknown access means guest. */
export const useRole = () => roleOf(useSession()?.access.userRoleCode)
/** Some tab is fetching new tokens. */
export const useIsRefreshing = () => useSyncExternalStore(refreshFlag.subscribe, refreshFlag.isRaised)
