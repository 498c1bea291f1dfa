import { can } from '@lis/contract/access/permissions.ts'
import { type Job, jobRoutes } from '@lis/contract/jobs.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { cancelJob, findJob, type JobRow, jobView } from '../../platform/jobs/job-rows.ts'

export const jobsModule = implement(jobRoutes, {
  one: async ({ db, actor, params }) => ({ data: jobView(await getJob(db, actor, params.id)) as Job, message: '' }),
  cancel: async ({ db, actor, params }) => {
    const { id } = await getJob(db, actor, params.id)
    if (!(await cancelJob(db, id))) throw conflict('The job is already over')
    return { message: 'Cancelled' }
  },
})

/** The user's own job, or any for those who manage jobs. Another user's job is reported as not found. */
const getJob = async (db: Db, actor: Actor, id: string): Promise<JobRow> => {
  const row = await findJob(db, id)
  if (!row || (row.user_id !== actor.userId && !can(actor.role, 'jobs.manage'))) throw notFound('Job')
  return row
}
