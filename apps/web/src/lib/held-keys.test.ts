import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHeldKeys } from './held-keys.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('held keys', () => {
  it('act in their order once no other key has followed', () => {
    const done: string[] = []
    const keys = createHeldKeys(80)
    keys.hold(() => done.push('j'))
    vi.advanceTimersByTime(40)
    keys.hold(() => done.push('a'))
    vi.advanceTimersByTime(79)
    expect(done).toEqual([])
    vi.advanceTimersByTime(1)
    expect(done).toEqual(['j', 'a'])
  })

  it('wait while a scanner types, and do nothing when the scan has been read', () => {
    const act = vi.fn()
    const keys = createHeldKeys(80)
    keys.hold(act)
    for (let key = 0; key < 10; key++) {
      vi.advanceTimersByTime(49)
      keys.keepWaiting()
    }
    keys.drop()
    vi.advanceTimersByTime(1000)
    expect(act).not.toHaveBeenCalled()
  })
})
