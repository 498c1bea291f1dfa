import type { Job, JobState } from '@lis/contract/jobs.ts'
import { expect, it } from 'vitest'
import { ApiError, cancelledError, noResponseError } from './api-error.ts'
import { pollJob } from './poll-job.ts'

const job = (state: JobState, message: string | null = null): Job => ({
  id: 'a',
  kind: 'k',
  state,
  done: 0,
  total: null,
  message,
  result: null,
})

/** Gives the answers in order and repeats the last one; waiting advances the clock only. */
const following = (...answers: readonly (Job | Error)[]) => {
  let asked = 0
  let clock = 0
  const end = pollJob({
    readJob: async () => {
      const answer = answers[Math.min(asked++, answers.length - 1)] as Job | Error
      if (answer instanceof Error) throw answer
      return answer
    },
    wait: async (ms) => {
      clock += ms
    },
    now: () => clock,
  })
  return { end, waited: () => clock }
}

it('waits for the end of a job, however long it takes', async () => {
  const running = Array.from({ length: 1000 }, () => job('RUNNING'))
  expect((await following(job('QUEUED'), ...running, job('DONE')).end).state).toBe('DONE')
})

it('returns a failed job with its message', async () => {
  expect(await following(job('RUNNING'), job('FAILED', 'The period is empty')).end).toMatchObject({
    state: 'FAILED',
    message: 'The period is empty',
  })
})

it('continues without an answer and while the server restarts', async () => {
  const gap = [noResponseError(null), new ApiError('', { status: 503 }), new ApiError('', { status: 429 })]
  expect((await following(job('RUNNING'), ...gap, job('RUNNING'), ...gap, job('DONE')).end).state).toBe('DONE')
})

it('does not count the time a computer was asleep as server silence', async () => {
  let clock = 0
  const answers = [job('RUNNING'), noResponseError(null), job('DONE')]
  const end = pollJob({
    readJob: async () => {
      const answer = answers.shift() as Job | Error
      if (answer instanceof Error) throw answer
      return answer
    },
    wait: async () => {
      clock += 3_600_000
    },
    now: () => clock,
  })
  expect((await end).state).toBe('DONE')
})

it('gives up on a server that stays silent, and at once on a refusal', async () => {
  const silent = following(job('RUNNING'), noResponseError(null))
  await expect(silent.end).rejects.toThrow()
  expect(silent.waited()).toBeGreaterThan(300_000)
  for (const error of [new ApiError('Job not found', { status: 404 }), cancelledError('canceled')]) {
    const refused = following(job('RUNNING'), error)
    await expect(refused.end).rejects.toBe(error)
    expect(refused.waited()).toBeLessThan(5_000)
  }
})
