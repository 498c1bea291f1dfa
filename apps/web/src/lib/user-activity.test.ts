import { expect, it } from 'vitest'
import { createActivityTracker, idleAfterMs } from './user-activity.ts'

it('the user counts as active when the tab opens and for a minute after each input', () => {
  let now = 1_000
  let touch: () => void = () => undefined
  const { isUserActive } = createActivityTracker(
    (listener) => {
      touch = listener
    },
    () => now,
  )
  expect(isUserActive()).toBe(true)
  now += idleAfterMs - 1
  expect(isUserActive()).toBe(true)
  now += 1
  expect(isUserActive()).toBe(false)
  touch()
  expect(isUserActive()).toBe(true)
  now += idleAfterMs
  expect(isUserActive()).toBe(false)
})
