import { newKey } from './api-client.ts'
import { ApiError } from './api-error.ts'

/** Nobody knows whether the write was carried out: the answer was lost, or a server or proxy failed with it. */
export const mayBeDone = (error: unknown) => error instanceof ApiError && (error.isCancelled || error.status >= 500)

/** Who sends the same after longer than this means it anew: they have seen meanwhile what became of the first. */
const sameMs = 120_000

/**
 * The Idempotency-Keys of one form's writes. What is sent again unchanged soon after an answer that never came bears the key of the first
 * time, so that the server tells what became of it instead of doing it twice. A write that was answered, and one with other content,
 * is a new one.
 */
export const createWriteKeys = () => {
  let last: { name: string; key: string; at: number } | null = null
  return {
    /** Sends under the key that belongs to `content`. */
    send: async <T>(content: unknown, work: (key: string) => Promise<T>): Promise<T> => {
      const name = JSON.stringify(content)
      const key = last?.name === name && Date.now() - last.at < sameMs ? last.key : newKey()
      try {
        const reply = await work(key)
        // Whatever is sent from now on is meant anew, also the same once more.
        last = null
        return reply
      } catch (error) {
        if (mayBeDone(error)) last = { name, key, at: Date.now() }
        throw error
      }
    },
  }
}
