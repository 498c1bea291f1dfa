import { messages } from '@lis/contract/messages.ts'
import { ApiError, noResponse } from './api-error.ts'
import { IdentityError } from './identity.ts'
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

/** Nobody was refused: the pool or the server is busy, broken or out of reach, and may answer in a moment. */
const isPassing = (error: unknown) =>
  error instanceof IdentityError
    ? error.isPassing
    : error instanceof ApiError && (error.isCancelled || error.status === 429 || error.status >= 500)

/** Before a renewal that got no answer is tried again; the calls that need it wait. */
const pausesMs = [1_000, 3_000]
/** After that the calls fail as any call without an answer does, and it is tried again by itself. */
const firstLaterMs = 15_000
const longestLaterMs = 60_000

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
 * once: the refresh token is rotated, so a second question with the same one would look like theft. Only a refusal ends the session.
 */
export const createRefresher = ({ store, flag, renew, exclusively, log }: RefresherParts) => {
  let running: Promise<boolean> | null = null
  let later: ReturnType<typeof setTimeout> | undefined
  let laterMs = firstLaterMs

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
        // The flag is down in the pause: another tab may try, and its token counts here too.
        const pauseMs = pausesMs[failures++]
        if (pauseMs === undefined) throw giveUpForNow(error)
        await new Promise((resume) => setTimeout(resume, pauseMs))
      }
    }
    return true
  }
  /** Somebody has logged out meanwhile, and stays logged out; the session of whoever signed in after them is not touched. */
  const hasLeft = ({ access }: StoredSession) => store.get()?.access.userId !== access.userId
  /** Throws what may pass. */
  const renewNow = async (failedToken: string): Promise<boolean> => {
    const session = store.get()
    try {
      // The other tab may have finished between our look and our claim.
      if (hasNewToken(failedToken)) return true
      if (!session) return false
      store.dropToken()
      const renewed = await renew(session)
      if (hasLeft(session)) return false
      // Also over the token of a tab that asked in the same moment: the server knows the last one it gave.
      store.set(renewed)
      laterMs = firstLaterMs
      return true
    } catch (error) {
      if (!session || hasLeft(session)) return false
      if (hasNewToken(failedToken)) return true
      if (isPassing(error)) throw error
      log(messages.refreshFailed, error)
      store.clear('expired')
      return false
    } finally {
      flag.lower()
    }
  }
  /** A page that nobody touches makes no call that would bring it its token, and would stand still with old data. */
  const giveUpForNow = (error: unknown) => {
    log(messages.refreshFailed, error)
    clearTimeout(later)
    later = setTimeout(() => void refresh('').catch(() => undefined), laterMs)
    laterMs = Math.min(longestLaterMs, laterMs * 2)
    return noResponse(error)
  }
  /** True when there is a new token to go on with, false when the session is over; throws when neither is known yet. */
  const refresh = (failedToken: string): Promise<boolean> => {
    running ??= run(failedToken).finally(() => {
      running = null
    })
    return running
  }
  return { isRunning: () => running !== null || flag.isRaised(), refresh }
}
export type Refresher = ReturnType<typeof createRefresher>
