import { z } from 'zod'
import { done, one } from './kit/envelope.ts'
import { get, put } from './kit/route.ts'

export const jobStates = ['QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED'] as const
export type JobState = (typeof jobStates)[number]

/** Nothing more will happen to a job in one of these. */
export const isJobOver = (state: JobState) => state === 'DONE' || state === 'FAILED' || state === 'CANCELLED'

/** Long work as its screen shows it. */
export const job = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.enum(jobStates),
  done: z.number().int().nonnegative(),
  /** Unknown until the work has been counted. */
  total: z.number().int().nonnegative().nullable(),
  message: z.string().nullable(),
  /** What the job gives back, by kind; null while it runs. */
  result: z.unknown(),
})
export type Job = z.infer<typeof job>

export const jobParams = z.object({ id: z.string().regex(/^[\w-]{1,64}$/) })

/** Own jobs only; others take 'jobs.manage', which the server checks. */
export const jobRoutes = {
  one: get('jobs/:id', { access: 'profile.own', params: jobParams, reply: one(job) }),
  cancel: put('jobs/:id/cancel', { access: 'profile.own', params: jobParams, reply: done }),
}
