import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDraftWriter, draftParams } from './draft-writer.ts'

describe('the draft writer', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const parts = () => {
    const log: unknown[] = []
    const save = vi.fn(async (id: string, values: unknown) => void log.push([id, values]))
    const remove = vi.fn(async (id: string) => void log.push(`${id} removed`))
    const kept: boolean[] = []
    const onStored = (isKept: boolean) => void kept.push(isKept)
    return {
      log,
      save,
      kept,
      writer: createDraftWriter('a', { save, remove, onStored, delayMs: 1000, retryMs: 5000 }),
    }
  }

  it('writes the newest values once typing pauses', async () => {
    const { log, writer } = parts()
    writer.write({ name: 'J' })
    await vi.advanceTimersByTimeAsync(900)
    writer.write({ name: 'Jane' })
    await vi.advanceTimersByTimeAsync(900)
    expect(log).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(log).toEqual([['a', { name: 'Jane' }]])
  })

  it('writes pending values at once when the form closes', async () => {
    const { log, writer } = parts()
    writer.write({ name: 'Jane' })
    await writer.flush()
    expect(log).toEqual([['a', { name: 'Jane' }]])
  })

  it('removes a draft after its pending write, so that it does not come back', async () => {
    const { log, writer } = parts()
    writer.write({ name: 'Jane' })
    void writer.flush()
    writer.write({ name: 'Janet' })
    await writer.discard()
    await vi.runAllTimersAsync()
    expect(log).toEqual([['a', { name: 'Jane' }], 'a removed'])
  })

  it('goes on after a failed write', async () => {
    const { log, save, kept, writer } = parts()
    save.mockRejectedValueOnce(new Error('no network'))
    writer.write({ name: 'J' })
    await writer.flush()
    writer.write({ name: 'Jane' })
    await writer.flush()
    expect(log).toEqual([['a', { name: 'Jane' }]])
    expect(kept).toEqual([false, true])
  })

  it('retries a failed write', async () => {
    const { log, save, kept, writer } = parts()
    save.mockRejectedValueOnce(new Error('no network'))
    writer.write({ name: 'Jane' })
    await writer.flush()
    expect([log, kept]).toEqual([[], [false]])
    await vi.advanceTimersByTimeAsync(5000)
    expect([log, kept]).toEqual([[['a', { name: 'Jane' }]], [false, true]])
  })

  it('writes pending values to their own draft before it switches to another', async () => {
    const { log, writer } = parts()
    writer.write({ name: 'Bob' })
    await writer.switchTo('b')
    writer.write({ name: 'Alice' })
    await writer.flush()
    await writer.discard()
    expect(log).toEqual([['a', { name: 'Bob' }], ['b', { name: 'Alice' }], 'b removed'])
  })

  it('removes nothing if nothing was written', async () => {
    const { log, writer } = parts()
    await writer.discard()
    expect(log).toEqual([])
  })

  it('names the form and the record', () => {
    expect(draftParams('user:12')).toEqual({ form: 'user', recordKey: '12' })
    expect(draftParams('user')).toEqual({ form: 'user', recordKey: 'new' })
  })
})
