import { newRecord } from '@lis/contract/drafts.ts'

export type Values = Record<string, unknown>
const writeDelayMs = 1000
const retryDelayMs = 10_000

/** 'user:12' names the form and the record; 'user' alone a record that is still to be created. */
export const draftParams = (key: string) => {
  const [form = '', recordKey = newRecord] = key.split(':')
  return { form, recordKey }
}

interface WriterParts {
  save: (draftId: string, values: Values) => Promise<unknown>
  remove: (draftId: string) => Promise<unknown>
  /** Told after each write whether what was typed is kept. */
  onKept?: (isKept: boolean) => void
  /** A draft of this id lies on the server already. */
  isStored?: boolean
  delayMs?: number
  retryMs?: number
}

/** Writes the newest values once typing pauses, one call at a time, so that an older text never overtakes a newer one. */
export const createDraftWriter = (firstId: string, parts: WriterParts) => {
  const { save, remove, onKept, isStored = false, delayMs = writeDelayMs, retryMs = retryDelayMs } = parts
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
  // The form itself still holds everything: a write that failed is tried again, unless there is something newer by then.
  const store = (draftId: string, values: Values) =>
    queue(
      async () => {
        await save(draftId, values)
        onKept?.(true)
      },
      () => {
        if (draftId !== id || !hasWritten) return
        onKept?.(false)
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
    /** What is typed from now on belongs to another draft; the one before keeps what it has. */
    switchTo: (next: string) => {
      const written = flush()
      id = next
      hasWritten = true
      return written
    },
    /** The form's own draft alone. */
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
