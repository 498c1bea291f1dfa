import { newRecordKey } from '@lis/contract/drafts.ts'

export type Values = Record<string, unknown>
const writeDelayMs = 1000
const retryDelayMs = 10_000

/** 'user:12' is the form and the record; 'user' alone is a new record. */
export const draftParams = (key: string) => {
  const [form = '', recordKey = newRecordKey] = key.split(':')
  return { form, recordKey }
}

interface WriterOptions {
  save: (draftId: string, values: Values) => Promise<unknown>
  remove: (draftId: string) => Promise<unknown>
  /** Called after each write with whether it was stored. */
  onStored?: (isKept: boolean) => void
  /** A draft with this id is already stored on the server. */
  isStored?: boolean
  delayMs?: number
  retryMs?: number
}

/** Writes the newest values once typing pauses, one call at a time, so that older values never overwrite newer ones. */
export const createDraftWriter = (firstId: string, parts: WriterOptions) => {
  const { save, remove, onStored, isStored = false, delayMs = writeDelayMs, retryMs = retryDelayMs } = parts
  let id = firstId
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting: Values | undefined
  let hasWritten = isStored
  let running = Promise.resolve()
  const queue = (work: () => Promise<unknown>, onFailed: () => void = () => undefined) => {
    running = running.then(work).then(
      () => undefined,
      () => onFailed(),
    )
    return running
  }
  const wait = (values: Values, ms: number) => {
    waiting = values
    clearTimeout(timer)
    timer = setTimeout(flush, ms)
  }
  // The form still holds everything: a failed write is retried, unless there are newer values by then.
  const store = (draftId: string, values: Values) =>
    queue(
      async () => {
        await save(draftId, values)
        onStored?.(true)
      },
      () => {
        if (draftId !== id || !hasWritten) return
        onStored?.(false)
        if (!waiting) wait(values, retryMs)
      },
    )
  const flush = () => {
    clearTimeout(timer)
    const values = waiting
    waiting = undefined
    return values ? store(id, values) : running
  }
  return {
    id: () => id,
    write: (values: Values) => {
      hasWritten = true
      wait(values, delayMs)
    },
    flush,
    /** Switches to another draft; the previous one keeps what it has. */
    switchTo: (next: string) => {
      const written = flush()
      id = next
      hasWritten = true
      return written
    },
    /** Removes only the form's own draft. */
    discard: () => {
      clearTimeout(timer)
      waiting = undefined
      if (!hasWritten) return running
      hasWritten = false
      const draftId = id
      return queue(() => remove(draftId))
    },
  }
}
