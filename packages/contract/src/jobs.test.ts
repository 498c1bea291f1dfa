import { expect, it } from 'vitest'
import { isJobOver, jobRoutes, jobStates } from './jobs.ts'

it('a job is over once it is done, failed or cancelled', () => {
  expect(jobStates.filter(isJobOver)).toEqual(['DONE', 'FAILED', 'CANCELLED'])
})

it('a job id cannot contain path separators', () => {
  const { params } = jobRoutes.one
  expect(params.safeParse({ id: '0198c2f0-7b7e-7c3a-9d55-3f7a4a6b0c11' }).success).toBe(true)
  expect(['', '../x', 'a/b', 'x'.repeat(65)].filter((id) => params.safeParse({ id }).success)).toEqual([])
})
