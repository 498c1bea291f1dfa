import { setTimeout as wait } from 'node:timers/promises'
import type { InstrumentQueue } from './work-queue.ts'

const longestWaitMs = 500

/** Delays the acknowledgement until the message is processed, so that its results can be read at once, at most for `longestWaitMs`. */
export const waitForWork = async (queue: InstrumentQueue, instrumentId: number) => {
  await Promise.race([queue.work(instrumentId), wait(longestWaitMs, undefined, { ref: false })])
}
