import { type Session, session as sessionSchema } from '@lis/contract/session.ts'
import { z } from 'zod'

/** The versioned name under which browsers keep the session; a new shape gets a new version, and the old one is left unread. */
export const sessionKey = 'auth.v0.2'
const endedKey = `${sessionKey}.ended`

const identity = z.object({ accessToken: z.string(), idToken: z.string(), refreshToken: z.string() })
const storedSession = sessionSchema.extend({ identity })

/** The tokens of the user pool, kept beside the session that they renew. */
export type IdentityTokens = z.infer<typeof identity>
/** `token` is empty while a new one is being fetched. */
export type StoredSession = Session & { identity: IdentityTokens }
/** Why there is no session any more: the person left, or time did it. */
export type EndReason = 'signedOut' | 'expired'

export type KeyValueStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
/** Calls the listener with the key that another tab has written (null: all of them). */
export type WatchStorage = (listener: (key: string | null) => void) => () => void

/** The session in browser storage. All tabs read the same entry, so what one tab does shows in all. */
export const createSessionStore = (storage: KeyValueStorage, watchOtherTabs: WatchStorage) => {
  const listeners = new Set<() => void>()
  let known: { text: string | null; value: StoredSession | null } = { text: null, value: null }
  const tellAll = () => {
    for (const listener of listeners) listener()
  }
  watchOtherTabs((key) => {
    if (key === null || key === sessionKey) tellAll()
  })
  // The same object for the same text, so that React can compare.
  const get = (): StoredSession | null => {
    const text = storage.getItem(sessionKey)
    if (text !== known.text) known = { text, value: parse(text) }
    return known.value
  }
  const set = (value: StoredSession) => {
    storage.setItem(sessionKey, JSON.stringify(value))
    storage.removeItem(endedKey)
    tellAll()
  }
  return {
    get,
    set,
    /** The token has run out and must not be sent again; who is signed in stays known while a new one is fetched. */
    dropToken: () => {
      const value = get()
      if (value) set({ ...value, token: '' })
    },
    clear: (reason: EndReason) => {
      storage.setItem(endedKey, reason)
      storage.removeItem(sessionKey)
      tellAll()
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

/** Whatever else stands in the storage is no session. */
const parse = (text: string | null): StoredSession | null => {
  if (text === null) return null
  try {
    return storedSession.parse(JSON.parse(text))
  } catch {
    return null
  }
}
