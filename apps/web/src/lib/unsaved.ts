import { useEffect, useRef } from 'react'

const typed = 'What you typed is not saved.'

interface Entry {
  /** Said to a person who is about to leave. */
  words: () => string
  /** For what outlives its place on the page: forgets what would not be stored by itself, or all of it. */
  drop: ((isAll: boolean) => void) | undefined
}

/** What the page holds that the server does not: input of forms, and saves of cells that are on their way. */
export const createUnsaved = () => {
  const keys = new Map<string, Entry>()
  const sending = new Set<string>()
  const senders = new Set<() => Promise<unknown>>()
  const listeners = new Set<() => void>()
  const tellAll = () => {
    for (const listener of [...listeners]) listener()
  }
  const giveUp = (isAll: boolean) => {
    for (const { drop } of [...keys.values()]) drop?.(isAll)
  }
  return {
    has: () => keys.size > 0,
    /** Something would be lost by leaving now; what is on its way to the server would not. */
    isLeft: () => [...keys.keys()].some((key) => !sending.has(key)),
    /** What would be lost, in words, each once. */
    told: () => [...new Set([...keys].filter(([key]) => !sending.has(key)).map(([, { words }]) => words()))],
    add: (key: string, words: Entry['words'] = () => typed, drop?: Entry['drop']) => {
      keys.set(key, { words, drop })
      tellAll()
    },
    remove: (key: string) => {
      const wasSending = sending.delete(key)
      if (keys.delete(key) || wasSending) tellAll()
    },
    setSending: (key: string, isSending: boolean) => {
      if (isSending) sending.add(key)
      else sending.delete(key)
      tellAll()
    },
    /** What waits a moment before it is saved: `send` saves it at once, and is done when it has arrived or failed. */
    addSender: (send: () => Promise<unknown>) => {
      senders.add(send)
      return () => {
        senders.delete(send)
      }
    },
    /** Saves at once all that waits, and is done when nothing is on its way any more; what failed is still unsaved then. */
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
    /** A person leaves in spite of it. */
    giveUp: () => giveUp(false),
    /** Gives everything up: the next person at this screen must not send it. */
    clear: () => {
      giveUp(true)
      keys.clear()
      sending.clear()
      tellAll()
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
 * Says that the page holds unsaved input under this key. Leaving then asks first, in these words, and a session that runs out is renewed
 * in place.
 */
export const useUnsaved = (key: string, isDirty: boolean, words: string = typed) => {
  const newest = useRef(words)
  newest.current = words
  useEffect(() => {
    if (!isDirty) return
    unsaved.add(key, () => newest.current)
    return () => unsaved.remove(key)
  }, [key, isDirty])
}
