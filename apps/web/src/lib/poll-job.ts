import { isJobOver, type Job } from '@lis/contract/jobs.ts'
import { ApiError } from './api-error.ts'

const pollMs = 1_500
/** A server that has not answered for this long is not merely restarting; time asleep does not count. */
const giveUpAfterMs = 5 * 60_000

export interface PollOptions {
  readJob: () => Promise<Job>
  wait: (ms: number) => Promise<unknown>
  now: () => number
}

/** No answer, or a server that is restarting or busy: this says nothing about the job. */
const isTemporary = (error: unknown) =>
  error instanceof ApiError && !error.isCancelled && (error.status >= 500 || error.status === 429)

/** Polls a job until it has ended, ignoring temporary failures. */
export const pollJob = async ({ readJob, wait, now }: PollOptions): Promise<Job> => {
  let unansweredSince: number | null = null
  for (;;) {
    try {
      const job = await readJob()
      if (isJobOver(job.state)) return job
      unansweredSince = null
    } catch (error) {
      unansweredSince ??= now()
      if (!isTemporary(error) || now() - unansweredSince > giveUpAfterMs) throw error
    }
    await wait(pollMs)
  }
}
