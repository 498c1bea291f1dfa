import { messages } from '@lis/contract/messages.ts'
import {
  type KeyValueStorage,
  type SessionStore,
  type StoredSession,
  sessionKey,
  type WatchStorage,
} from './session-store.ts'

const flagKey = `${sessionKey}.refreshing`
/** A flag older than this was left behind by a tab that died. */
export const flagLifeMs = 10_000

/** Says to all tabs that one of them is fetching new tokens. Clears itself after ten seconds. */
export const createRefreshFlag = (storage: KeyValueStorage, watchOtherTabs: WatchStorage, now: () => number) => {
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const age = () => now() - Number(storage.getItem(flagKey) ?? Number.NEGATIVE_INFINITY)
  const isRaised = () => age() >= 0 && age() < flagLifeMs
  const changed = () => {
    clearTimeout(timer)
    if (isRaised()) timer = setTimeout(lower, flagLifeMs - age())
    for (const listener of [...listeners]) listener()
  }
  const lower = () => {
    storage.removeItem(flagKey)
    changed()
  }
  watchOtherTabs((key) => {
    if (key === null || key === flagKey) changed()
  })
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }
  return {
    isRaised,
    raise: () => {
      storage.setItem(flagKey, String(now()))
      changed()
    },
    lower,
    subscribe,
    whenLowered: () =>
      new Promise<void>((resolve) => {
        if (!isRaised()) return resolve()
        const stop = subscribe(() => {
          if (isRaised()) return
          stop()
          resolve()
        })
        // Another tab may have died with the flag up, and nothing would tell.
        changed()
      }),
  }
}
export type RefreshFlag = ReturnType<typeof createRefreshFlag>

interface RefresherParts {
  store: SessionStore
  flag: RefreshFlag
  /** New tokens of the user pool and the session that they buy. */
  renew: (session: StoredSession) => Promise<StoredSession>
  /** Runs one tab at a time, where the browser can see to it. */
  exclusively: <T>(work: () => T) => Promise<T>
  log: (message: string, cause: unknown) => void
}

/**
 * Fetches a new session token in place of the one that failed. However many calls fail, in however many tabs, the user pool is asked
 * once: the refresh token is rotated, so a second question with the same one would look like theft.
 */
export const createRefresher = ({ store, flag, renew, exclusively, log }: RefresherParts) => {
  let running: Promise<boolean> | null = null

  const hasNewToken = (failedToken: string) => {
    const token = store.get()?.token
    return token !== undefined && token !== '' && token !== failedToken
  }
  const claim = () =>
    exclusively(() => {
      if (flag.isRaised()) return false
      flag.raise()
      return true
    })
  const run = async (failedToken: string): Promise<boolean> => {
    while (!hasNewToken(failedToken)) {
      if (!store.get()) return false
      if (await claim()) return renewNow(failedToken)
      await flag.whenLowered()
    }
    return true
  }
  const renewNow = async (failedToken: string): Promise<boolean> => {
    try {
      // The other tab may have finished between our look and our claim.
      if (hasNewToken(failedToken)) return true
      const session = store.get()
      if (!session) return false
      store.dropToken()
      const renewed = await renew(session)
      // Somebody may have logged out meanwhile, and stays logged out.
      if (!store.get()) return false
      store.set(renewed)
      return true
    } catch (error) {
      log(messages.refreshFailed, error)
      store.clear('expired')
      return false
    } finally {
      flag.lower()
    }
  }
  return {
    isRunning: () => running !== null || flag.isRaised(),
    /** True when there is a new token to go on with. */
    refresh: (failedToken: string): Promise<boolean> => {
      running ??= run(failedToken).finally(() => {
        running = null
      })
      return running
    },
  }
}
export type Refresher = ReturnType<typeof createRefresher>
