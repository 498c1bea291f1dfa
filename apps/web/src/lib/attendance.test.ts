import { expect, it } from 'vitest'
import { awayAfterMs, createAttendance } from './attendance.ts'

it('somebody is at the tab as it opens and for a minute after each input, and not after that', () => {
  let now = 1_000
  let touch: () => void = () => undefined
  const { isAttended } = createAttendance(
    (listener) => {
      touch = listener
    },
    () => now,
  )
  expect(isAttended()).toBe(true)
  now += awayAfterMs - 1
  expect(isAttended()).toBe(true)
  now += 1
  expect(isAttended()).toBe(false)
  touch()
  expect(isAttended()).toBe(true)
  now += awayAfterMs
  expect(isAttended()).toBe(false)
})
