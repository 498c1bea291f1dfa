import { z } from 'zod'
import { done, one } from './kit/envelope.ts'
import { get, put } from './kit/route.ts'

export const jobStates = ['QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED'] as const
export type JobState = (typeof jobStates)[number]

/** A final state. */
export const isJobOver = (state: JobState) => state === 'DONE' || state === 'FAILED' || state === 'CANCELLED'

/** A background job as its screen shows it. */
const job = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.enum(jobStates),
  done: z.number().int().nonnegative(),
  /** Unknown until the work has been counted. */
  total: z.number().int().nonnegative().nullable(),
  message: z.string().nullable(),
  /** The job's result, by kind; null while it runs. */
  result: z.unknown(),
})
export type Job = z.infer<typeof job>

export const jobParams = z.object({ id: z.string().regex(/^[\w-]{1,64}$/) })

/** Own jobs only; those of others need 'jobs.manage', which the server checks. */
export const jobRoutes = {
  one: get('jobs/:id', { access: 'profile.own', params: jobParams, reply: one(job) }),
  cancel: put('jobs/:id/cancel', { access: 'profile.own', params: jobParams, reply: done }),
}
