import { setTimeout as wait } from 'node:timers/promises'
import type { InstrumentServices } from './link-store.ts'
import { processMessages } from './work.ts'

export interface InstrumentQueue {
  /** Processes the messages of an instrument; resolves when they were processed, or cannot be processed now. */
  work: (instrumentId: number) => Promise<void>
  stop: () => Promise<void>
}

const failurePauseMs = 1000

/** Processes the messages of each instrument in order, and several instruments in parallel. */
export const openInstrumentQueue = (services: InstrumentServices): InstrumentQueue => {
  const running = new Map<number, Promise<void>>()
  /** Instruments with new messages since their round began. */
  const again = new Set<number>()
  let isStopped = false

  const run = async (instrumentId: number) => {
    for (;;) {
      again.delete(instrumentId)
      try {
        while (!isStopped && (await processMessages(services, instrumentId))) again.delete(instrumentId)
      } catch (error) {
        services.log.error({ err: error, instrumentId }, 'messages of an instrument could not be processed')
        await wait(failurePauseMs, undefined, { ref: false })
        return
      }
      if (isStopped || !again.has(instrumentId)) return
    }
  }

  return {
    work: (instrumentId) => {
      const current = running.get(instrumentId)
      if (current) {
        again.add(instrumentId)
        return current
      }
      const started = run(instrumentId).finally(() => running.delete(instrumentId))
      running.set(instrumentId, started)
      return started
    },
    stop: async () => {
      isStopped = true
      await Promise.all(running.values())
    },
  }
}
