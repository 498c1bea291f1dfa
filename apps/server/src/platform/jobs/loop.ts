import { withConnectionLabel } from '../db/connection-tracking.ts'
import type { Log } from '../log.ts'

export interface Loop {
  /** Stops after the current round. */
  stop: () => Promise<void>
}

/**
 * Repeats a short maintenance task, one round at a time. A failed round is logged and the next one still runs; a round that returns
 * `true` has more to do and is repeated at once.
 */
export const repeat = (name: string, everyMs: number, round: () => Promise<unknown>, log: Pick<Log, 'error'>): Loop => {
  let isStopped = false
  let wake: () => void = () => undefined
  const run = async () => {
    while (!isStopped) {
      let hasMore = false
      try {
        hasMore = (await withConnectionLabel(`maintenance ${name}`, round)) === true
      } catch (error) {
        if (!isStopped) log.error({ err: error, loop: name }, 'maintenance failed')
      }
      if (!hasMore && !isStopped) await pause()
    }
  }
  const pause = () =>
    new Promise<void>((resume) => {
      const timer = setTimeout(resume, everyMs)
      wake = () => {
        clearTimeout(timer)
        resume()
      }
    })
  const running = run()
  return {
    stop: async () => {
      isStopped = true
      wake()
      await running
    },
  }
}
