import { setTimeout as wait } from 'node:timers/promises'
import type { BenchQueue } from './work-queue.ts'

/** An answer waits a little until what came has been worked; who looks then finds it. With much to do it does not wait. */
const longestWaitMs = 500

export const waitForWork = async (queue: BenchQueue, instrumentId: number) => {
  await Promise.race([queue.work(instrumentId), wait(longestWaitMs, undefined, { ref: false })])
}
