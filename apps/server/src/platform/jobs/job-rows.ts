import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../db/db.ts'
import type { Job } from '../db/types.ts'
import { publish } from '../events/publish.ts'
import { bossWithin, jobsSchema } from './boss.ts'

export type JobRow = Selectable<Job>

/** What a screen shows of a job; also the data of its events. */
export const jobView = ({ id, kind, state, done, total, message, result }: JobRow) => ({
  id,
  kind,
  state,
  done,
  total,
  message,
  result,
})

export const jobTopic = 'job'

export const publishJob = async (db: Db | Trx, row: JobRow) => {
  if (row.user_id !== null) await publish(db, { topic: jobTopic, userId: row.user_id, data: jobView(row) })
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const findJob = async (db: Db, id: string): Promise<JobRow | undefined> =>
  uuid.test(id) ? db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst() : undefined

/** Ends a job that is not over yet; a running one hears of it within a second. False when it was over already. */
export const cancelJob = async (trx: Trx, id: string): Promise<boolean> => {
  const row = await trx
    .updateTable('job')
    .set({ state: 'CANCELLED', message: 'Cancelled', finished_at: sql<string>`now()` })
    .where('id', '=', id)
    .where('state', 'in', ['QUEUED', 'RUNNING'])
    .returningAll()
    .executeTakeFirst()
  if (!row) return false
  await bossWithin(trx).cancel(row.kind, row.id)
  await publishJob(trx, row)
  return true
}

/** A worker that dies at its last attempt cannot say so itself: rows whose queue entry is over are ended here. */
export const failLostJobs = async (db: Db): Promise<number> => {
  const lost = await db
    .updateTable('job')
    .set({
      state: 'FAILED',
      message: 'The work was interrupted too often and has been given up',
      finished_at: sql<string>`now()`,
    })
    .where('state', 'in', ['QUEUED', 'RUNNING'])
    .where(
      sql<boolean>`not exists (select from ${sql.id(jobsSchema, 'job')} q
        where q.name = job.kind and q.id = job.id and q.state in ('created', 'retry', 'active'))`,
    )
    .returningAll()
    .execute()
  for (const row of lost) await publishJob(db, row)
  return lost.length
}

export const removeOldJobs = async (db: Db, days = 90): Promise<void> => {
  await db.deleteFrom('job').where('finished_at', '<', sql<string>`now() - make_interval(days => ${days})`).execute()
}
