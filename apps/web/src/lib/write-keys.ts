import { ApiError } from './api-error.ts'

/** Nobody knows whether the write was carried out: the answer was lost, or a server or proxy failed with it. */
export const isUnanswered = (error: unknown) => error instanceof ApiError && (error.isCancelled || error.status >= 500)

/**
 * The Idempotency-Keys of one form's writes. What is sent again unchanged after an answer that never came bears the key of the first
 * time, so that the server tells what became of it instead of doing it twice. A write that was answered, and one with other content,
 * is a new one.
 */
export const createWriteKeys = () => {
  const unanswered = new Map<string, string>()
  return {
    /** Sends under the key that belongs to `content`. */
    send: async <T>(content: unknown, work: (key: string) => Promise<T>): Promise<T> => {
      const name = JSON.stringify(content)
      const key = unanswered.get(name) ?? newKey()
      try {
        const reply = await work(key)
        // Whatever is sent from now on is meant anew, also the same once more.
        unanswered.clear()
        return reply
      } catch (error) {
        if (isUnanswered(error)) unanswered.set(name, key)
        throw error
      }
    },
  }
}

const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
