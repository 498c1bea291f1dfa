import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDraftWriter, draftParams } from './draft-writer.ts'

describe('the writer of drafts', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const parts = () => {
    const log: unknown[] = []
    const save = vi.fn(async (values: unknown) => void log.push(values))
    const remove = vi.fn(async () => void log.push('removed'))
    return { log, save, remove, writer: createDraftWriter({ save, remove, delayMs: 1000 }) }
  }

  it('writes the newest values once typing pauses', async () => {
    const { log, writer } = parts()
    writer.write({ name: 'J' })
    await vi.advanceTimersByTimeAsync(900)
    writer.write({ name: 'Jane' })
    await vi.advanceTimersByTimeAsync(900)
    expect(log).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(log).toEqual([{ name: 'Jane' }])
  })

  it('writes at once what waits when the form goes away', async () => {
    const { log, writer } = parts()
    writer.write({ name: 'Jane' })
    await writer.flush()
    expect(log).toEqual([{ name: 'Jane' }])
  })

  it('removes after what is being written, so that nothing comes back', async () => {
    const { log, writer } = parts()
    writer.write({ name: 'Jane' })
    void writer.flush()
    writer.write({ name: 'Janet' })
    await writer.discard()
    await vi.runAllTimersAsync()
    expect(log).toEqual([{ name: 'Jane' }, 'removed'])
  })

  it('goes on after a draft that could not be kept', async () => {
    const { log, save, writer } = parts()
    save.mockRejectedValueOnce(new Error('no network'))
    writer.write({ name: 'J' })
    await writer.flush()
    writer.write({ name: 'Jane' })
    await writer.flush()
    expect(log).toEqual([{ name: 'Jane' }])
  })

  it('names form and record', () => {
    expect(draftParams('user:12')).toEqual({ form: 'user', recordKey: '12' })
    expect(draftParams('user')).toEqual({ form: 'user', recordKey: 'new' })
  })
})
