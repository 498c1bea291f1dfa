import type { Db } from '../db/db.ts'
import { type JobRow, publishJob } from './job-rows.ts'

export interface Progress {
  report: (done: number, total: number | null, message?: string) => Promise<void>
  signal: AbortSignal
  isCancelled: () => boolean
  stop: () => Promise<void>
}

const shownEveryMs = 250
const watchedEveryMs = 1000

/** Writes at most four times a second what a run reports, and looks once a second whether the run still counts. */
export const trackProgress = (db: Db, row: JobRow, outside: AbortSignal): Progress => {
  const cancelled = new AbortController()
  const signal = AbortSignal.any([outside, cancelled.signal])
  let latest: Pick<JobRow, 'done' | 'total' | 'message'> | null = null
  let shownAt = 0
  const noLongerOurs = () => cancelled.abort(new Error('The job was cancelled or has been taken over'))

  const show = async (news: NonNullable<typeof latest>) => {
    latest = null
    shownAt = Date.now()
    const shown = await db
      .updateTable('job')
      .set(news)
      .where('id', '=', row.id)
      .where('state', '=', 'RUNNING')
      .where('attempts', '=', row.attempts)
      .returningAll()
      .executeTakeFirst()
    if (shown) await publishJob(db, shown)
    else noLongerOurs()
  }

  const look = async () => {
    const now = await db.selectFrom('job').select(['state', 'attempts']).where('id', '=', row.id).executeTakeFirst()
    if (now?.state !== 'RUNNING' || now.attempts !== row.attempts) noLongerOurs()
  }

  let watching = Promise.resolve()
  const timer = setInterval(() => {
    // A database that is away for a moment must not end the run; the next look will tell.
    watching = (latest ? show(latest) : look()).catch(() => undefined)
  }, watchedEveryMs)

  return {
    signal,
    report: async (done, total, message) => {
      signal.throwIfAborted()
      latest = { done, total, message: message ?? null }
      if (Date.now() - shownAt >= shownEveryMs) await show(latest)
      signal.throwIfAborted()
    },
    isCancelled: () => cancelled.signal.aborted,
    stop: async () => {
      clearInterval(timer)
      await watching
      if (latest && !signal.aborted) await show(latest).catch(() => undefined)
    },
  }
}
