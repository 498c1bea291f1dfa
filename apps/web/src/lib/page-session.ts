import type { SessionStore, StoredSession } from './session-store.ts'
import type { Unsaved } from './unsaved.ts'

/** How a session that ran out under unsaved input went on. */
export type Outcome = 'sameUser' | 'otherUser' | 'left'

/**
 * The session that the page on screen belongs to. When it runs out while the page holds unsaved input, the page keeps it, so that
 * nothing typed is lost, until somebody signs in again in place or leaves (SESS-G1).
 */
export const createPageSession = (store: SessionStore, unsaved: Unsaved) => {
  const listeners = new Set<() => void>()
  const waiting = new Set<(outcome: Outcome) => void>()
  let last = store.get()
  let held: StoredSession | null = null
  let lastUserId = last?.access.userId

  const tellAll = () => {
    for (const listener of [...listeners]) listener()
  }
  const settle = (outcome: Outcome) => {
    held = null
    for (const resolve of waiting) resolve(outcome)
    waiting.clear()
  }
  store.subscribe(() => {
    const now = store.get()
    if (now && held) settle(now.access.userId === held.access.userId ? 'sameUser' : 'otherUser')
    if (!now && !held && last && store.endReason() === 'expired' && unsaved.has()) held = last
    // Who logs out in another tab leaves here too.
    if (!now && held && store.endReason() === 'signedOut') settle('left')
    last = now
    if (now) lastUserId = now.access.userId
    tellAll()
  })
  // What was unsaved may be given up or saved by other means; then there is nothing to stay for.
  unsaved.subscribe(() => {
    if (!held || unsaved.has()) return
    settle('left')
    tellAll()
  })
  return {
    get: (): StoredSession | null => store.get() ?? held,
    /** Set while the page waits for its person to sign in again. */
    held: () => held,
    /** Who was signed in last since the tab was loaded; undefined for nobody. */
    lastUserId: () => lastUserId,
    leave: () => {
      settle('left')
      tellAll()
    },
    /** Resolves when the waiting is over. */
    whenSettled: () =>
      new Promise<Outcome>((resolve) => {
        if (held) waiting.add(resolve)
        else resolve('left')
      }),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
export type PageSession = ReturnType<typeof createPageSession>
