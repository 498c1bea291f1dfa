import { useEffect } from 'react'

/** What the page holds that the server does not: input of forms, and saves of cells that are on their way. */
export const createUnsaved = () => {
  const keys = new Set<string>()
  const sending = new Set<string>()
  const listeners = new Set<() => void>()
  const tellAll = () => {
    for (const listener of [...listeners]) listener()
  }
  return {
    has: () => keys.size > 0,
    /** Something would be lost by leaving now; what is on its way to the server would not. */
    isLeft: () => [...keys].some((key) => !sending.has(key)),
    add: (key: string) => {
      keys.add(key)
      tellAll()
    },
    remove: (key: string) => {
      sending.delete(key)
      if (keys.delete(key)) tellAll()
    },
    setSending: (key: string, isSending: boolean) => {
      if (isSending) sending.add(key)
      else sending.delete(key)
    },
    /** Gives everything up: the next person at this screen must not send it. */
    clear: () => {
      keys.clear()
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

/** Says that the page holds unsaved input under this key. Leaving then asks first, and a session that runs out is renewed in place. */
export const useUnsaved = (key: string, isDirty: boolean) => {
  useEffect(() => {
    if (!isDirty) return
    unsaved.add(key)
    return () => unsaved.remove(key)
  }, [key, isDirty])
}
