import { messages } from '@lis/contract/messages.ts'
import { ApiError, noResponseError } from './api-error.ts'
import { IdentityError } from './identity.ts'
import {
  type KeyValueStorage,
  type SessionStore,
  type StoredSession,
  sessionKey,
  type WatchStorage,
} from './session-store.ts'

const flagKey = `${sessionKey}.refreshing`
/** An older flag was left behind by a crashed tab. */
export const flagLifeMs = 10_000

/** Tells all tabs that one of them is fetching new tokens. Expires after ten seconds. */
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
        // The other tab may have crashed with the flag set.
        changed()
      }),
  }
}
type RefreshFlag = ReturnType<typeof createRefreshFlag>

/** Not a refusal: the pool or the server is busy, broken or unreachable. */
const isTemporary = (error: unknown) =>
  error instanceof IdentityError
    ? error.isPassing
    : error instanceof ApiError && (error.isCancelled || error.status === 429 || error.status >= 500)

/** Delays before an unanswered renewal is retried; the calls that need it wait. */
const retryDelaysMs = [1_000, 3_000]
/** After that the calls fail like any unanswered call, and the renewal is retried in the background. */
const firstRetryMs = 15_000
const maxRetryMs = 60_000

interface RefresherOptions {
  store: SessionStore
  flag: RefreshFlag
  /** Gets new tokens from the user pool and opens a session with them. */
  renew: (session: StoredSession) => Promise<StoredSession>
  /** Runs in one tab at a time, where the browser supports locks. */
  withLock: <T>(work: () => T) => Promise<T>
  log: (message: string, cause: unknown) => void
}

/**
 * Replaces an expired session token. However many calls fail in however many tabs, the user pool is asked once: refresh tokens are rotated,
 * so a second use of the same one would look like theft. Only a refusal ends the session.
 */
export const createRefresher = ({ store, flag, renew, withLock, log }: RefresherOptions) => {
  let running: Promise<boolean> | null = null
  let later: ReturnType<typeof setTimeout> | undefined
  let retryMs = firstRetryMs

  const hasNewToken = (failedToken: string) => {
    const token = store.get()?.token
    return token !== undefined && token !== '' && token !== failedToken
  }
  const claim = () =>
    withLock(() => {
      if (flag.isRaised()) return false
      flag.raise()
      return true
    })
  const run = async (failedToken: string): Promise<boolean> => {
    let failures = 0
    while (!hasNewToken(failedToken)) {
      if (!store.get()) return false
      if (!(await claim())) {
        await flag.whenLowered()
        continue
      }
      try {
        return await renewNow(failedToken)
      } catch (error) {
        // The flag is cleared during the delay: another tab may try, and its token counts here too.
        const pauseMs = retryDelaysMs[failures++]
        if (pauseMs === undefined) throw retryLater(error)
        await new Promise((resume) => setTimeout(resume, pauseMs))
      }
    }
    return true
  }
  /** The user has logged out, or another one has signed in; their session must not be touched. */
  const hasLeft = ({ access }: StoredSession) => store.get()?.access.userId !== access.userId
  /** Throws temporary failures. */
  const renewNow = async (failedToken: string): Promise<boolean> => {
    const session = store.get()
    try {
      // The other tab may have finished between our check and our claim.
      if (hasNewToken(failedToken)) return true
      if (!session) return false
      store.dropToken()
      const renewed = await renew(session)
      if (hasLeft(session)) return false
      // Replaces the token of a tab that refreshed at the same moment: the server accepts only the last one.
      store.set(renewed)
      retryMs = firstRetryMs
      return true
    } catch (error) {
      if (!session || hasLeft(session)) return false
      if (hasNewToken(failedToken)) return true
      if (isTemporary(error)) throw error
      log(messages.refreshFailed, error)
      store.clear('expired')
      return false
    } finally {
      flag.lower()
    }
  }
  /** An idle page makes no calls that would renew the token, and would keep showing old data. */
  const retryLater = (error: unknown) => {
    log(messages.refreshFailed, error)
    clearTimeout(later)
    later = setTimeout(() => void refresh('').catch(() => undefined), retryMs)
    retryMs = Math.min(maxRetryMs, retryMs * 2)
    return noResponseError(error)
  }
  /** True with a new token, false when the session is over; throws when neither is known yet. */
  const refresh = (failedToken: string): Promise<boolean> => {
    running ??= run(failedToken).finally(() => {
      running = null
    })
    return running
  }
  return { isRunning: () => running !== null || flag.isRaised(), refresh }
}
export type Refresher = ReturnType<typeof createRefresher>
