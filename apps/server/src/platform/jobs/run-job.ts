import { sql } from 'kysely'
import type { JobWithMetadata } from 'pg-boss'
import { withConnectionLabel } from '../db/connection-tracking.ts'
import type { Db } from '../db/db.ts'
import { systemScope } from '../db/scope.ts'
import { AppError } from '../errors.ts'
import type { Services } from '../services.ts'
import { withSpan } from '../telemetry.ts'
import type { JobContext, JobDefinition } from './definition.ts'
import { type JobRow, publishJob } from './job-rows.ts'
import { type Progress, trackProgress } from './progress.ts'

/** Runs one job that pg-boss has assigned to this worker. If it throws, pg-boss retries later or gives up. */
export const runJob = async (
  services: Services,
  definition: JobDefinition<never>,
  entry: JobWithMetadata,
): Promise<void> => {
  const db = services.databases(systemScope)
  const row = await begin(db, definition.kind, entry.id)
  if (!row) return // cancelled while it waited
  const progress = trackProgress(db, row, entry.signal)
  try {
    const context: JobContext = {
      id: row.id,
      userId: row.user_id,
      attempt: row.attempts,
      services,
      signal: progress.signal,
      progress: progress.report,
    }
    const title = `job ${row.kind}`
    const result = await withSpan(title, () =>
      withConnectionLabel(title, () => definition.run(context, row.input as never)),
    )
    await progress.stop()
    await settle(db, row, { state: 'DONE', message: null, result })
  } catch (error) {
    await progress.stop()
    await fail(services, db, row, entry, progress, error)
  }
}

/** Scheduled jobs have no row in our `job` table yet: it is inserted here. */
const begin = async (db: Db, kind: string, id: string): Promise<JobRow | undefined> => {
  await db
    .insertInto('job')
    .values({ id, kind })
    .onConflict((oc) => oc.doNothing())
    .execute()
  const row = await db
    .updateTable('job')
    .set({ state: 'RUNNING', attempts: sql`attempts + 1`, started_at: sql`coalesce(started_at, now())`, message: null })
    .where('id', '=', id)
    .where('state', 'in', ['QUEUED', 'RUNNING'])
    .returningAll()
    .executeTakeFirst()
  if (row) await publishJob(db, row)
  return row
}

const fail = async (
  services: Services,
  db: Db,
  row: JobRow,
  entry: JobWithMetadata,
  progress: Progress,
  error: unknown,
) => {
  if (progress.isCancelled()) return
  const { id, kind } = row
  if (error instanceof AppError && error.status < 500) {
    await settle(db, row, { state: 'FAILED', message: error.message })
    return
  }
  const isLast = entry.retryCount >= entry.retryLimit
  if (entry.signal.aborted) services.log.warn({ job: id, kind }, 'job interrupted')
  else
    services.log.error(
      { err: error, job: id, kind, attempt: row.attempts },
      isLast ? 'job failed for good' : 'job failed',
    )
  const message = entry.signal.aborted ? 'Interrupted' : 'Something went wrong on our side. It has been recorded.'
  await settle(
    db,
    row,
    isLast ? { state: 'FAILED', message } : { state: 'QUEUED', message: `${message} The work will be tried again.` },
  )
  throw error
}

interface Ending {
  state: 'DONE' | 'FAILED' | 'QUEUED'
  message: string | null
  result?: unknown
}

const settle = async (db: Db, row: JobRow, { state, message, result }: Ending) => {
  const ended = await db
    .updateTable('job')
    .set({
      state,
      message,
      ...(result !== undefined && { result: JSON.stringify(result) }),
      ...(state === 'DONE' && { done: sql<number>`coalesce(total, done)` }),
      ...(state !== 'QUEUED' && { finished_at: sql<string>`now()` }),
    })
    .where('id', '=', row.id)
    .where('state', '=', 'RUNNING')
    // Only the current run may end it: for a worker that was taken for dead and returns, the number of attempts has changed.
    .where('attempts', '=', row.attempts)
    .returningAll()
    .executeTakeFirst()
  if (ended) await publishJob(db, ended)
}
