import { isJobOver, type Job } from '@lis/contract/jobs.ts'
import { ApiError } from './api-error.ts'

const pollMs = 1_500
/** A server that has been asked for so long without an answer is not merely starting anew; a computer that slept has not asked. */
const patienceMs = 5 * 60_000

export interface JobReader {
  readJob: () => Promise<Job>
  wait: (ms: number) => Promise<unknown>
  now: () => number
}

/** No answer, a server that starts anew or is busy: none of it says anything about the job. */
const isPassing = (error: unknown) =>
  error instanceof ApiError && !error.isCancelled && (error.status >= 500 || error.status === 429)

/** Asks for a job until it is over, over gaps in which nobody answers. */
export const jobEnd = async ({ readJob, wait, now }: JobReader): Promise<Job> => {
  let silentSince: number | null = null
  for (;;) {
    try {
      const job = await readJob()
      if (isJobOver(job.state)) return job
      silentSince = null
    } catch (error) {
      silentSince ??= now()
      if (!isPassing(error) || now() - silentSince > patienceMs) throw error
    }
    await wait(pollMs)
  }
}
