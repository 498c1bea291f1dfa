import { type Job, jobRoutes } from '@lis/contract/jobs.ts'
import { call } from './api.ts'
import { ApiError } from './api-error.ts'
import { pollJob } from './poll-job.ts'

/** Polls a job until it has ended, independent of the page on screen. */
export const waitForJob = (id: string): Promise<Job> =>
  pollJob({
    readJob: async () => (await call(jobRoutes.one, { params: { id } })).data,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    now: Date.now,
  })

/** The session has ended or a permission is missing: another part of the page shows that. */
export const isHandledElsewhere = (error: unknown) =>
  error instanceof ApiError && (error.isCancelled || [401, 403, 408].includes(error.status))
