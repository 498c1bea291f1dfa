import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, cancelledError, noResponseError } from './api-error.ts'
import { createIdempotencyKeys } from './idempotency-keys.ts'

const setUp = () => {
  const keys = createIdempotencyKeys()
  const sent: string[] = []
  const send = (content: unknown, failure?: Error) =>
    keys
      .send(content, async (key) => {
        sent.push(key)
        if (failure) throw failure
      })
      .catch(() => undefined)
  return { send, sent }
}
const payment = { body: { amount: '5.00' } }
const status = (code: number) => new ApiError('No', { status: code })

describe('the idempotency key of a write', () => {
  afterEach(() => void vi.useRealTimers())

  it('stays while the outcome is unknown', async () => {
    const { send, sent } = setUp()
    await send(payment, noResponseError(new TypeError('Failed to fetch')))
    await send(payment, status(503))
    await send(payment, cancelledError('canceled'))
    // An expired session in between says nothing about the first attempt.
    await send(payment, status(401))
    await send({ body: { amount: '5.00' } })
    expect(new Set(sent).size).toBe(1)
  })
  it('is new after an answer, also for the same content', async () => {
    const { send, sent } = setUp()
    await send(payment, noResponseError(new TypeError('Failed to fetch')))
    await send(payment)
    await send(payment)
    await send(payment, status(400))
    await send(payment)
    expect(new Set(sent).size).toBe(4)
  })
  it('is new for other content, and the first again for the first content', async () => {
    const { send, sent } = setUp()
    await send(payment, status(500))
    await send({ body: { amount: '6.00' } }, status(400))
    await send(payment)
    expect(sent[1]).not.toBe(sent[0])
    expect(sent[2]).toBe(sent[0])
  })
  it('is new for the same content after two minutes', async () => {
    vi.useFakeTimers()
    const { send, sent } = setUp()
    await send(payment, status(502))
    vi.advanceTimersByTime(110_000)
    await send(payment, status(502))
    vi.advanceTimersByTime(110_000)
    // The outcome of the first is still unknown.
    await send(payment, status(502))
    vi.advanceTimersByTime(120_000)
    await send(payment)
    expect(new Set(sent.slice(0, 3)).size).toBe(1)
    expect(sent[3]).not.toBe(sent[0])
  })
})
