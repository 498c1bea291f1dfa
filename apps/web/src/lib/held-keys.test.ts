import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHeldKeys } from './held-keys.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Presses keys with the same time between them; each letter would be noted. */
const pressed = (keys: readonly string[], gapMs: number) => {
  const done: string[] = []
  const heldKeys = createHeldKeys(60)
  for (const [index, key] of keys.entries()) {
    heldKeys.press({ key, at: 1000 + index * gapMs })
    if (key.length === 1) heldKeys.hold(() => done.push(key))
    vi.advanceTimersByTime(gapMs)
  }
  vi.advanceTimersByTime(60)
  return done
}

describe('held keys', () => {
  it('act each before the next one when a person presses them', () => {
    expect(pressed(['j', 'j', 'a'], 70)).toEqual(['j', 'j', 'a'])
  })

  it('act before the next key on a busy page too, whose timer is late', () => {
    const done: string[] = []
    const heldKeys = createHeldKeys(60)
    heldKeys.press({ key: 'j', at: 1000 })
    heldKeys.hold(() => done.push('j'))
    heldKeys.press({ key: ' ', at: 1100 })
    done.push('space')
    vi.advanceTimersByTime(100)
    expect(done).toEqual(['j', 'space'])
  })

  it('do nothing when they come as fast as from a scanner', () => {
    expect(pressed([...'S-123DP', 'Enter'], 10)).toEqual([])
    expect(pressed([...'1000021DP', 'Enter'], 49)).toEqual([])
  })

  it('act after Shift, however fast it came before', () => {
    expect(pressed(['Shift', '?'], 20)).toEqual(['?'])
  })
})
