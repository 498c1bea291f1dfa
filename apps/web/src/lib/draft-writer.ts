import { newRecord } from '@lis/contract/drafts.ts'

export type Values = Record<string, unknown>
const writeDelayMs = 1000

/** 'user:12' names the form and the record; 'user' alone a record that is still to be created. */
export const draftParams = (key: string) => {
  const [form = '', recordKey = newRecord] = key.split(':')
  return { form, recordKey }
}

interface WriterParts {
  save: (values: Values) => Promise<unknown>
  remove: () => Promise<unknown>
  delayMs?: number
}

/** Writes the newest values once typing pauses, one call at a time, so that an older text never overtakes a newer one. */
export const createDraftWriter = ({ save, remove, delayMs = writeDelayMs }: WriterParts) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting: Values | undefined
  let running = Promise.resolve()
  // A draft is an insurance: when it cannot be written, the form itself still holds everything.
  const queue = (work: () => Promise<unknown>) => {
    running = running.then(work).then(
      () => undefined,
      () => undefined,
    )
    return running
  }
  const flush = () => {
    clearTimeout(timer)
    const values = waiting
    waiting = undefined
    return values ? queue(() => save(values)) : running
  }
  return {
    write: (values: Values) => {
      waiting = values
      clearTimeout(timer)
      timer = setTimeout(flush, delayMs)
    },
    flush,
    discard: () => {
      clearTimeout(timer)
      waiting = undefined
      return queue(remove)
    },
  }
}
