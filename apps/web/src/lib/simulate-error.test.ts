import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withSimulatedErrors } from './simulate-error.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const send = vi.fn(async () => Response.json({ data: 1 }))

describe('a simulated error', () => {
  it('TABLE-122 TABLE-G19 comes after 100 ms, with the status from the address, and nothing is sent', async () => {
    let answer: Response | undefined
    void withSimulatedErrors(
      send,
      () => '?page=2&simulateError=503',
    )('/api').then((response) => {
      answer = response
    })
    await vi.advanceTimersByTimeAsync(99)
    expect(answer).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    expect(answer?.status).toBe(503)
    expect(send).not.toHaveBeenCalled()
  })

  it.each(['', '?simulateError=', '?simulateError=200', '?simulateError=x'])(
    'is not triggered by %j',
    async (search) => {
      expect((await withSimulatedErrors(send, () => search)('/api')).status).toBe(200)
    },
  )
})
