import { roleOf } from '@lis/contract/access/roles.ts'
import { useSyncExternalStore } from 'react'
import { createRefreshFlag } from './refresh.ts'
import { createSessionStore, type WatchStorage } from './session-store.ts'

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

/** Who is signed in, in all tabs; null for nobody. */
export const useSession = () => useSyncExternalStore(sessionStore.subscribe, sessionStore.get)
/** Unknown access means guest. */
export const useRole = () => roleOf(useSession()?.access.userRoleCode)
/** Some tab is fetching new tokens. */
export const useIsRefreshing = () => useSyncExternalStore(refreshFlag.subscribe, refreshFlag.isRaised)
