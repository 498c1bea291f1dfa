import type { SessionStore, StoredSession } from './session-store.ts'
import type { Unsaved } from './unsaved.ts'

/** How a held session ended. */
export type HeldSessionOutcome = 'sameUser' | 'otherUser' | 'left'

/**
 * The session of the page on screen. When it expires while the page has unsaved input, the page keeps it, so that nothing is lost, until a
 * user signs in again in place or leaves (SESS-G1).
 */
export const createPageSession = (store: SessionStore, unsaved: Unsaved) => {
  const listeners = new Set<() => void>()
  const waiting = new Set<(outcome: HeldSessionOutcome) => void>()
  let last = store.get()
  let held: StoredSession | null = null
  let lastUserId = last?.access.userId

  const notifyAll = () => {
    for (const listener of [...listeners]) listener()
  }
  const settle = (outcome: HeldSessionOutcome) => {
    held = null
    for (const resolve of waiting) resolve(outcome)
    waiting.clear()
  }
  store.subscribe(() => {
    const now = store.get()
    if (now && held) settle(now.access.userId === held.access.userId ? 'sameUser' : 'otherUser')
    if (!now && !held && last && store.endReason() === 'expired' && unsaved.has()) held = last
    // Logging out in another tab logs out here too.
    if (!now && held && store.endReason() === 'signedOut') settle('left')
    last = now
    if (now) lastUserId = now.access.userId
    notifyAll()
  })
  // Once the unsaved input is saved or discarded, there is no reason to hold the session.
  unsaved.subscribe(() => {
    if (!held || unsaved.has()) return
    settle('left')
    notifyAll()
  })
  return {
    get: (): StoredSession | null => store.get() ?? held,
    /** Set while the page waits for the user to sign in again. */
    held: () => held,
    /** The user who was signed in last since the tab was loaded, if any. */
    lastUserId: () => lastUserId,
    leave: () => {
      settle('left')
      notifyAll()
    },
    /** Resolves when the session is no longer held. */
    whenSettled: () =>
      new Promise<HeldSessionOutcome>((resolve) => {
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
