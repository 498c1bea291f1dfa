import { type Job, jobRoutes } from '@lis/contract/jobs.ts'
import { call } from './api.ts'
import { ApiError } from './api-error.ts'
import { jobEnd } from './job-end.ts'

/** Asks for a job until it is over, whatever page is on screen meanwhile. */
export const endOfJob = (id: string): Promise<Job> =>
  jobEnd({
    readJob: async () => (await call(jobRoutes.one, { params: { id } })).data,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    now: Date.now,
  })

/** The session has ended or the right is gone: that is said elsewhere. */
export const isToldElsewhere = (error: unknown) =>
  error instanceof ApiError && (error.isCancelled || [401, 403, 408].includes(error.status))
