/** The state of a cell between input and storage. */
export type SaveStatus = 'idle' | 'waiting' | 'saving' | 'saved' | 'failed'

export interface AutoSaveState<Value> {
  draft: Value
  status: SaveStatus
  /** Set while `failed`. */
  error: Error | null
}

/** Saves a value with the version that was read, and returns the new one. */
export type SaveValue<Value> = (value: Value, version: number) => Promise<{ version: number }>

export interface AutoSaveOptions<Value> {
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
 * Saves automatically once typing pauses. Saves never overlap: later input waits for the version of the previous save. After a failure the
 * input is kept until it is saved or undone.
 */
export const createAutoSave = <Value>(parts: AutoSaveOptions<Value>) => {
  const { save, delayMs, savedMs = 2_000, isSame = Object.is } = parts
  let stored = parts.value
  let version = parts.version
  /** The newest value from the server, whether or not it could be applied yet. */
  let newest = { value: stored, version }
  let state: AutoSaveState<Value> = { draft: stored, status: 'idle', error: null }
  let timer: ReturnType<typeof setTimeout> | undefined
  let running = Promise.resolve()
  const listeners = new Set<() => void>()

  const set = (change: Partial<AutoSaveState<Value>>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  const schedule = (ms: number, work: () => void) => {
    clearTimeout(timer)
    timer = setTimeout(work, ms)
  }

  /**
   * Applies the newest value from the server. Unsaved input stays; if another user has changed the value under it, it keeps the version it
   * was based on, so that the server refuses it and the user sees both.
   */
  const applyNewest = () => {
    const isAtRest = state.status === 'idle' || state.status === 'saved'
    if (state.status === 'saving' || newest.version <= version) return
    if (!isAtRest && !isSame(newest.value, stored)) return
    version = newest.version
    stored = newest.value
    if (isAtRest) set({ draft: stored })
  }
  /** Nothing is pending any more. */
  const finish = (draft: Value, status: 'idle' | 'saved' = 'idle') => {
    set({ draft, status, error: null })
    applyNewest()
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
      finish(sent, 'saved')
      schedule(savedMs, () => set({ status: 'idle' }))
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
        return finish(draft)
      }
      set({ draft, status: 'waiting', error: null })
      schedule(delayMs, saveNow)
    },
    /** Saves pending input at once: the user has left the cell or the table. Resolves when it has been saved or has failed. */
    flush: () => (state.status === 'waiting' ? saveNow() : running),
    retry: () => {
      if (state.status === 'failed') saveNow()
    },
    undo: () => {
      if (state.status === 'saving') return
      clearTimeout(timer)
      finish(stored)
    },
    /** After a conflict, when the user has seen the other value: keeps it, or overwrites it with their choice. */
    settle: (theirs: Value, theirVersion: number, chosen: Value) => {
      if (state.status === 'saving') return
      clearTimeout(timer)
      version = theirVersion
      stored = theirs
      if (isSame(chosen, theirs)) return finish(chosen)
      set({ draft: chosen, status: 'idle', error: null })
      void saveNow()
    },
    /** The server's current value. */
    adopt: (value: Value, newVersion: number) => {
      if (newVersion <= newest.version) return
      newest = { value, version: newVersion }
      applyNewest()
    },
  }
}
