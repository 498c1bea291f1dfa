import { randomKey } from './api-client.ts'
import { ApiError } from './api-error.ts'

/** It is unknown whether the write was carried out: the answer was lost, or a server or proxy failed. */
export const isOutcomeUnknown = (error: unknown) =>
  error instanceof ApiError && (error.isCancelled || error.status >= 500)

/** Sent again later than this, the same content counts as a new write: the user has seen the outcome of the first by then. */
const reuseMs = 120_000

/**
 * The idempotency keys of a form's writes. The same content sent again soon after a lost answer keeps its key, so that the server returns
 * the first outcome instead of writing twice. Other content, or a write that was answered, gets a new key.
 */
export const createIdempotencyKeys = () => {
  let last: { name: string; key: string; at: number } | null = null
  return {
    /** Sends with the key that belongs to `content`. */
    send: async <T>(content: unknown, work: (key: string) => Promise<T>): Promise<T> => {
      const name = JSON.stringify(content)
      const key = last?.name === name && Date.now() - last.at < reuseMs ? last.key : randomKey()
      try {
        const reply = await work(key)
        // From now on, sending the same content again is a new write.
        last = null
        return reply
      } catch (error) {
        if (isOutcomeUnknown(error)) last = { name, key, at: Date.now() }
        throw error
      }
    },
  }
}
