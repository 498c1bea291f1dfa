import { useEffect, useRef } from 'react'

const defaultDescription = 'What you typed is not saved.'

interface Entry {
  /** Shown to a user who is about to leave. */
  words: () => string
  /** For input that outlives its page: drops what would not be saved automatically, or all of it. */
  drop: ((isAll: boolean) => void) | undefined
}

/** What the page has and the server has not: form input, and cells that are being saved. */
export const createUnsaved = () => {
  const keys = new Map<string, Entry>()
  const sending = new Set<string>()
  const senders = new Set<() => Promise<unknown>>()
  const listeners = new Set<() => void>()
  const notifyAll = () => {
    for (const listener of [...listeners]) listener()
  }
  const giveUp = (isAll: boolean) => {
    for (const { drop } of [...keys.values()]) drop?.(isAll)
  }
  return {
    has: () => keys.size > 0,
    /** Leaving now would lose something; what is being saved would not be lost. */
    isLeft: () => [...keys.keys()].some((key) => !sending.has(key)),
    /** Descriptions of what would be lost, each once. */
    descriptions: () => [...new Set([...keys].filter(([key]) => !sending.has(key)).map(([, { words }]) => words()))],
    add: (key: string, words: Entry['words'] = () => defaultDescription, drop?: Entry['drop']) => {
      keys.set(key, { words, drop })
      notifyAll()
    },
    remove: (key: string) => {
      const wasSending = sending.delete(key)
      if (keys.delete(key) || wasSending) notifyAll()
    },
    setSending: (key: string, isSending: boolean) => {
      if (isSending) sending.add(key)
      else sending.delete(key)
      notifyAll()
    },
    /** Registers a delayed save: `send` saves at once, and resolves when that has succeeded or failed. */
    addSender: (send: () => Promise<unknown>) => {
      senders.add(send)
      return () => {
        senders.delete(send)
      }
    },
    /** Saves everything that is pending and waits until nothing is being saved any more; what failed is still unsaved then. */
    sendAll: async () => {
      await Promise.allSettled([...senders].map((send) => send()))
      await new Promise<void>((resolve) => {
        const look = () => {
          if (sending.size > 0) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
      })
    },
    /** The user leaves anyway. */
    giveUp: () => giveUp(false),
    /** Drops everything: the next user of this browser must not send it. */
    clear: () => {
      giveUp(true)
      keys.clear()
      sending.clear()
      notifyAll()
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}
export type Unsaved = ReturnType<typeof createUnsaved>

export const unsaved = createUnsaved()

/**
 * Registers unsaved input under this key. Leaving the page then asks first, with these words, and an expired session is renewed in place.
 */
export const useUnsaved = (key: string, isDirty: boolean, words: string = defaultDescription) => {
  const newest = useRef(words)
  newest.current = words
  useEffect(() => {
    if (!isDirty) return
    unsaved.add(key, () => newest.current)
    return () => unsaved.remove(key)
  }, [key, isDirty])
}
