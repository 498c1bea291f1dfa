import { AppError } from '../errors.ts'

export interface CallQueueLimits {
  /** How many run at the same time in this process; one person never takes more than half of them. */
  atOnce: number
  /** How long a call waits for its turn before it is refused. */
  waitMs?: number
}

export interface QueuedCaller {
  userId: number
  /** Aborted when the caller has gone: then it leaves the queue. */
  signal: AbortSignal
  /** Called when the wait is worth a word, with the number of calls that come first. */
  onWait: (ahead: number) => void
}

interface Waiting {
  userId: number
  start: () => void
}

const longestWaitMs = 60_000
const silentWaitMs = 1000
const mostWaitingOfOne = 5
const mostWaiting = 100

/**
 * Exports and other calls that make a file. They read long and compute much, so only a few run at once and the others wait for their
 * turn, holding no connection. Nobody can fill the queue alone.
 */
export class CallQueue {
  readonly #atOnce: number
  readonly #ofOne: number
  readonly #waitMs: number
  readonly #running = new Map<number, number>()
  readonly #waiting: Waiting[] = []

  constructor({ atOnce, waitMs = longestWaitMs }: CallQueueLimits) {
    this.#atOnce = atOnce
    this.#ofOne = Math.ceil(atOnce / 2)
    this.#waitMs = waitMs
  }

  async run<T>(caller: QueuedCaller, work: () => Promise<T>): Promise<T> {
    if (!this.#mayStart(caller.userId)) await this.#turn(caller)
    else this.#begin(caller.userId)
    try {
      return await work()
    } finally {
      this.#end(caller.userId)
    }
  }

  #mayStart(userId: number) {
    const all = [...this.#running.values()].reduce((sum, count) => sum + count, 0)
    return all < this.#atOnce && (this.#running.get(userId) ?? 0) < this.#ofOne
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

  #turn({ userId, signal, onWait }: QueuedCaller): Promise<void> {
    const own = this.#waiting.filter((waiting) => waiting.userId === userId).length
    if (own >= mostWaitingOfOne)
      throw new AppError('tooManyRequests', 'Several files are being made for you already, please wait for one of them')
    if (this.#waiting.length >= mostWaiting) throw busy()
    return new Promise((resolve, reject) => {
      const leave = (error: Error) => {
        const place = this.#waiting.indexOf(waiting)
        if (place !== -1) this.#waiting.splice(place, 1)
        stopWaiting()
        reject(error)
      }
      const onAbort = () => leave(new AppError('unavailable', 'The caller has gone', { cause: signal.reason }))
      const word = setTimeout(() => onWait(this.#waiting.indexOf(waiting)), silentWaitMs)
      const limit = setTimeout(() => leave(busy()), this.#waitMs)
      const stopWaiting = () => {
        clearTimeout(word)
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
