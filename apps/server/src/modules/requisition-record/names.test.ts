import { afterEach, expect, it, vi } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { listNames } from './names.ts'

const test = openTestApp()
afterEach(() => {
  vi.restoreAllMocks()
})

it('SCALE-07 keeps the names and the statements made from them until one has changed', async () => {
  const later = (seconds: number) => vi.spyOn(Date, 'now').mockReturnValue(began + seconds * 1000)
  const began = Date.now()
  const read = () => listNames(test.database.db, test.services)
  later(0)
  const first = await read()
  later(6)
  expect(await read()).toBe(first)
  await test.given.lab()
  later(10)
  expect(await read()).toBe(first)
  later(12)
  const second = await read()
  expect(second).not.toBe(first)
  expect(second.statements).not.toBe(first.statements)
  later(18)
  expect(await read()).toBe(second)
})
