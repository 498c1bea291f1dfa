import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, cancelled, noResponse } from './api-error.ts'
import { createWriteKeys } from './write-keys.ts'

const setUp = () => {
  const keys = createWriteKeys()
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

describe('the key of a write', () => {
  afterEach(() => void vi.useRealTimers())

  it('stays while nobody knows what became of it', async () => {
    const { send, sent } = setUp()
    await send(payment, noResponse(new TypeError('Failed to fetch')))
    await send(payment, status(503))
    await send(payment, cancelled('canceled'))
    // A session that ran out in between says nothing about the first time.
    await send(payment, status(401))
    await send({ body: { amount: '5.00' } })
    expect(new Set(sent).size).toBe(1)
  })
  it('is a new one after an answer, for the same content too', async () => {
    const { send, sent } = setUp()
    await send(payment, noResponse(new TypeError('Failed to fetch')))
    await send(payment)
    await send(payment)
    await send(payment, status(400))
    await send(payment)
    expect(new Set(sent).size).toBe(4)
  })
  it('is a new one for other content, and the first again for the first', async () => {
    const { send, sent } = setUp()
    await send(payment, status(500))
    await send({ body: { amount: '6.00' } }, status(400))
    await send(payment)
    expect(sent[1]).not.toBe(sent[0])
    expect(sent[2]).toBe(sent[0])
  })
  it('is a new one for the same content after two minutes: it is meant anew', async () => {
    vi.useFakeTimers()
    const { send, sent } = setUp()
    await send(payment, status(502))
    vi.advanceTimersByTime(110_000)
    await send(payment, status(502))
    vi.advanceTimersByTime(110_000)
    // Still nobody has told what became of the first.
    await send(payment, status(502))
    vi.advanceTimersByTime(120_000)
    await send(payment)
    expect(new Set(sent.slice(0, 3)).size).toBe(1)
    expect(sent[3]).not.toBe(sent[0])
  })
})
