/** Where a cell stands between what is typed and what is stored. */
export type SaveStatus = 'idle' | 'waiting' | 'saving' | 'saved' | 'failed'

export interface AutoSaveState<Value> {
  draft: Value
  status: SaveStatus
  /** Set while `failed`. */
  error: Error | null
}

/** Stores a value against the version that was read, and answers with the new one. */
export type SaveValue<Value> = (value: Value, version: number) => Promise<{ version: number }>

export interface AutoSaveParts<Value> {
  value: Value
  version: number
  save: SaveValue<Value>
  delayMs: number
  /** How long 'saved' is shown. */
  savedMs?: number
  isSame?: (one: Value, other: Value) => boolean
}

export type AutoSave<Value> = ReturnType<typeof createAutoSave<Value>>

/**
 * Saves by itself once typing rests. Saves never overlap: what is typed meanwhile waits for the version that the first one brings.
 * A failure keeps what was typed until it is saved or undone.
 */
export const createAutoSave = <Value>(parts: AutoSaveParts<Value>) => {
  const { save, delayMs, savedMs = 2_000, isSame = Object.is } = parts
  let stored = parts.value
  let version = parts.version
  /** The server's newest word, whether or not it could be taken yet. */
  let heard = { value: stored, version }
  let state: AutoSaveState<Value> = { draft: stored, status: 'idle', error: null }
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = Promise.resolve()
  const listeners = new Set<() => void>()

  const set = (change: Partial<AutoSaveState<Value>>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const later = (ms: number, work: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(work, ms)
  }

  /**
   * Takes the server's newest word. What is typed and not yet stored stays; when somebody else has changed the value under it, it keeps
   * the version that it was typed over, so that the server refuses it and the person sees both.
   */
  const listen = () => {
    const isAtRest = state.status === 'idle' || state.status === 'saved'
    if (state.status === 'saving' || heard.version <= version) return
    if (!isAtRest && !isSame(heard.value, stored)) return
    version = heard.version
    stored = heard.value
    if (isAtRest) set({ draft: stored })
  }
  /** Nothing waits any more. */
  const rest = (draft: Value, status: 'idle' | 'saved' = 'idle') => {
    set({ draft, status, error: null })
    listen()
  }

  const saveNow = (): Promise<void> => {
    if (state.status !== 'saving') running = send()
    return running
  }
  const send = async (): Promise<void> => {
    clearTimeout(timer)
    const sent = state.draft
    set({ status: 'saving', error: null })
    try {
      version = (await save(sent, version)).version
      stored = sent
      if (!isSame(state.draft, sent)) return await saveNext()
      rest(sent, 'saved')
      later(savedMs, () => set({ status: 'idle' }))
    } catch (error) {
      set({ status: 'failed', error: error instanceof Error ? error : new Error(String(error)) })
    }
  }
  const saveNext = () => {
    set({ status: 'waiting' })
    return send()
  }

  return {
    get: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    type: (draft: Value) => {
      if (state.status === 'saving') return set({ draft })
      if (isSame(draft, stored)) {
        clearTimeout(timer)
        return rest(draft)
      }
      set({ draft, status: 'waiting', error: null })
      later(delayMs, saveNow)
    },
    /** Saves what waits, at once: the person has left the cell, or the table. Done when it has arrived or failed. */
    flush: () => (state.status === 'waiting' ? saveNow() : running),
    retry: () => {
      if (state.status === 'failed') saveNow()
    },
    undo: () => {
      if (state.status === 'saving') return
      clearTimeout(timer)
      rest(stored)
    },
    /** After a conflict, when the person has seen what the other stored: that is kept, or what they choose is saved over it. */
    settle: (theirs: Value, theirVersion: number, chosen: Value) => {
      if (state.status === 'saving') return
      clearTimeout(timer)
      version = theirVersion
      stored = theirs
      if (isSame(chosen, theirs)) return rest(chosen)
      set({ draft: chosen, status: 'idle', error: null })
      void saveNow()
    },
    /** What the server says now. */
    adopt: (value: Value, newVersion: number) => {
      if (newVersion <= heard.version) return
      heard = { value, version: newVersion }
      listen()
    },
  }
}
