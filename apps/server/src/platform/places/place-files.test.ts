import { expect, it } from 'vitest'
import { cached } from './place-files.ts'

it('reads each key once, also for concurrent callers, and again after an error', async () => {
  const asked: string[] = []
  const find = cached(async (key) => {
    asked.push(key)
    if (asked.length === 1) throw new Error('too many open files')
    return key.toUpperCase()
  })
  await expect(Promise.all([find('us'), find('us')])).rejects.toThrow('too many open files')
  expect(await Promise.all([find('us'), find('us'), find('pr')])).toEqual(['US', 'US', 'PR'])
  expect(await find('us')).toBe('US')
  expect(asked).toEqual(['us', 'us', 'pr'])
})
