import type { Db } from '../db/db.ts'
import { type JobRow, publishJob } from './job-rows.ts'

export interface Progress {
  report: (done: number, total: number | null, message?: string) => Promise<void>
  signal: AbortSignal
  isCancelled: () => boolean
  stop: () => Promise<void>
}

const writeEveryMs = 250
const checkEveryMs = 1000

/** Writes the reported progress at most four times a second, and checks once a second that the job still belongs to this run. */
export const trackProgress = (db: Db, row: JobRow, workerSignal: AbortSignal): Progress => {
  const cancelled = new AbortController()
  const signal = AbortSignal.any([workerSignal, cancelled.signal])
  let latest: Pick<JobRow, 'done' | 'total' | 'message'> | null = null
  let writtenAt = 0
  const abort = () => cancelled.abort(new Error('The job was cancelled or has been taken over'))

  const write = async (values: NonNullable<typeof latest>) => {
    latest = null
    writtenAt = Date.now()
    const written = await db
      .updateTable('job')
      .set(values)
      .where('id', '=', row.id)
      .where('state', '=', 'RUNNING')
      .where('attempts', '=', row.attempts)
      .returningAll()
      .executeTakeFirst()
    if (written) await publishJob(db, written)
    else abort()
  }

  const check = async () => {
    const now = await db.selectFrom('job').select(['state', 'attempts']).where('id', '=', row.id).executeTakeFirst()
    if (now?.state !== 'RUNNING' || now.attempts !== row.attempts) abort()
  }

  let watching = Promise.resolve()
  const timer = setInterval(() => {
    // A short outage of the database must not end the run; the next check decides.
    watching = (latest ? write(latest) : check()).catch(() => undefined)
  }, checkEveryMs)

  return {
    signal,
    report: async (done, total, message) => {
      signal.throwIfAborted()
      latest = { done, total, message: message ?? null }
      if (Date.now() - writtenAt >= writeEveryMs) await write(latest)
      signal.throwIfAborted()
    },
    isCancelled: () => cancelled.signal.aborted,
    stop: async () => {
      clearInterval(timer)
      await watching
      if (latest && !signal.aborted) await write(latest).catch(() => undefined)
    },
  }
}
