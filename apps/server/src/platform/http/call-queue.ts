import { AppError } from '../errors.ts'

export interface CallQueueLimits {
  /** How many calls run at the same time in this process; one user never gets more than half of them. */
  atOnce: number
  /** How long a call waits before it is rejected. */
  waitMs?: number
}

export interface QueuedCaller {
  userId: number
  /** Aborted when the caller disconnects: the call then leaves the queue. */
  signal: AbortSignal
  /** Called when the call has waited for a second, with the number of calls before it. */
  onWait: (ahead: number) => void
}

interface Waiting {
  userId: number
  start: () => void
}

const longestWaitMs = 60_000
const silentWaitMs = 1000
const maxWaitingPerUser = 5
const maxWaiting = 100

/**
 * The queue of exports and other calls that make a file. These are slow, so only a few run at once and the others wait without holding a
 * connection. No user can fill the queue alone.
 */
export class CallQueue {
  readonly #atOnce: number
  readonly #perUser: number
  readonly #waitMs: number
  readonly #running = new Map<number, number>()
  readonly #waiting: Waiting[] = []

  constructor({ atOnce, waitMs = longestWaitMs }: CallQueueLimits) {
    this.#atOnce = atOnce
    this.#perUser = Math.ceil(atOnce / 2)
    this.#waitMs = waitMs
  }

  async run<T>(caller: QueuedCaller, work: () => Promise<T>): Promise<T> {
    if (!this.#mayStart(caller.userId)) await this.#waitForTurn(caller)
    else this.#begin(caller.userId)
    try {
      return await work()
    } finally {
      this.#end(caller.userId)
    }
  }

  #mayStart(userId: number) {
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0)
    return all < this.#atOnce && (this.#running.get(userId) ?? 0) < this.#perUser
  }

  #begin(userId: number) {
    this.#running.set(userId, (this.#running.get(userId) ?? 0) + 1)
  }

  #end(userId: number) {
    const left = (this.#running.get(userId) ?? 1) - 1
    if (left > 0) this.#running.set(userId, left)
    else this.#running.delete(userId)
    this.#startNext()
  }

  #startNext() {
    for (;;) {
      const next = this.#waiting.findIndex(({ userId }) => this.#mayStart(userId))
      if (next === -1) return
      const [waiting] = this.#waiting.splice(next, 1) as [Waiting]
      this.#begin(waiting.userId)
      waiting.start()
    }
  }

  #waitForTurn({ userId, signal, onWait }: QueuedCaller): Promise<void> {
    const own = this.#waiting.filter((waiting) => waiting.userId === userId).length
    if (own >= maxWaitingPerUser)
      throw new AppError('tooManyRequests', 'Several files are being made for you already, please wait for one of them')
    if (this.#waiting.length >= maxWaiting) throw busy()
    return new Promise((resolve, reject) => {
      const leave = (error: Error) => {
        const place = this.#waiting.indexOf(waiting)
        if (place !== -1) this.#waiting.splice(place, 1)
        stopWaiting()
        reject(error)
      }
      const onAbort = () => leave(new AppError('unavailable', 'The caller has gone', { cause: signal.reason }))
      const notice = setTimeout(() => onWait(this.#waiting.indexOf(waiting)), silentWaitMs)
      const limit = setTimeout(() => leave(busy()), this.#waitMs)
      const stopWaiting = () => {
        clearTimeout(notice)
        clearTimeout(limit)
        signal.removeEventListener('abort', onAbort)
      }
      const waiting: Waiting = {
        userId,
        start: () => {
          stopWaiting()
          resolve()
        },
      }
      this.#waiting.push(waiting)
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
    })
  }
}

const busy = () => new AppError('unavailable', 'Many files are being made just now, please try again in a few minutes')
