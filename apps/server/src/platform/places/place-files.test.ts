import { expect, it } from 'vitest'
import { readOnce } from './place-files.ts'

it('reads each place once, also for two who ask at the same time, and again what could not be read', async () => {
  const asked: string[] = []
  const find = readOnce(async (key) => {
    asked.push(key)
    if (asked.length === 1) throw new Error('too many open files')
    return key.toUpperCase()
  })
  await expect(Promise.all([find('us'), find('us')])).rejects.toThrow('too many open files')
  expect(await Promise.all([find('us'), find('us'), find('pr')])).toEqual(['US', 'US', 'PR'])
  expect(await find('us')).toBe('US')
  expect(asked).toEqual(['us', 'us', 'pr'])
})
