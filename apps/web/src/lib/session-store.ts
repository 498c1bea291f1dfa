import { type Session, session as sessionSchema } from '@lis/contract/session.ts'
import { z } from 'zod'

/** Storage key of the session; a new format gets a new version, and the old entry is ignored. */
export const sessionKey = 'auth.v0.2'
const endedKey = `${sessionKey}.ended`

const identity = z.object({ accessToken: z.string(), idToken: z.string(), refreshToken: z.string() })
const ownSession = sessionSchema.extend({ identity })
/** While an administrator views as somebody else: the viewed user, and the administrator's own session, which is restored afterwards. */
const storedSession = ownSession.extend({ viewAs: z.object({ name: z.string(), own: ownSession }).optional() })

/** The user pool's tokens, which renew the session. */
export type IdentityTokens = z.infer<typeof identity>
/** `token` is empty while a new one is being fetched. */
export type StoredSession = Session & {
  identity: IdentityTokens
  viewAs?: { name: string; own: Session & { identity: IdentityTokens } } | undefined
}
/** Why the session ended: the user logged out, or it expired. */
export type EndReason = 'signedOut' | 'expired'

export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
/** Calls the listener with the key that another tab has written (null: all keys). */
export type WatchStorage = (listener: (key: string | null) => void) => () => void

/** The session in browser storage. All tabs share one entry. */
export const createSessionStore = (storage: KeyValueStorage, watchOtherTabs: WatchStorage) => {
  const listeners = new Set<() => void>()
  let known: { text: string | null; value: StoredSession | null } = { text: null, value: null }
  const notifyAll = () => {
    for (const listener of listeners) listener()
  }
  watchOtherTabs((key) => {
    if (key === null || key === sessionKey) notifyAll()
  })
  // Returns the same object for the same text, so that React can compare.
  const get = (): StoredSession | null => {
    const text = storage.getItem(sessionKey)
    if (text !== known.text) known = { text, value: parse(text) }
    return known.value
  }
  const set = (value: StoredSession) => {
    storage.setItem(sessionKey, JSON.stringify(value))
    storage.removeItem(endedKey)
    notifyAll()
  }
  return {
    get,
    set,
    /** Clears an expired token; the user stays known while a new one is fetched. */
    dropToken: () => {
      const value = get()
      if (value) set({ ...value, token: '' })
    },
    /** Ends the session; after a view as somebody else the administrator's own session continues. */
    clear: (reason: EndReason) => {
      const own = get()?.viewAs?.own
      if (own) return set(own)
      storage.setItem(endedKey, reason)
      storage.removeItem(sessionKey)
      notifyAll()
    },
    endReason: (): EndReason | null => storage.getItem(endedKey) as EndReason | null,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
export type SessionStore = ReturnType<typeof createSessionStore>

/** Anything else in the storage is not a session. */
const parse = (text: string | null): StoredSession | null => {
  if (text === null) return null
  try {
    return storedSession.parse(JSON.parse(text))
  } catch {
    return null
  }
}
