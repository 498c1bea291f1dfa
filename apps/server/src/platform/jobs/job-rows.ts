import { type Selectable, sql } from 'kysely'
import type { Db, Trx } from '../db/db.ts'
import type { Job } from '../db/types.ts'
import { publish } from '../events/publish.ts'
import { bossWithin, jobsSchema } from './boss.ts'

export type JobRow = Selectable<Job>

/** A job as the API shows it; also the data of its events. */
export const jobView = ({ id, kind, state, done, total, message, result }: JobRow) => ({
  id,
  kind,
  state,
  done,
  total,
  message,
  result,
})

const jobTopic = 'job'

export const publishJob = async (db: Db | Trx, row: JobRow) => {
  if (row.user_id !== null) await publish(db, { topic: jobTopic, userId: row.user_id, data: jobView(row) })
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const findJob = async (db: Db, id: string): Promise<JobRow | undefined> =>
  uuid.test(id) ? db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst() : undefined

/** Cancels a waiting or running job; a running one stops within a second. False when it had already ended. */
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

/** Marks jobs as failed whose queue entry has ended, e.g. because the worker died at the last attempt. */
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
