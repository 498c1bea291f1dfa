import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAutoSave } from './auto-save.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const anAutoSave = (save = vi.fn(async (_: string, version: number) => ({ version: version + 1 }))) => ({
  save,
  cell: createAutoSave({ value: 'old', version: 1, save, delayMs: 1000 }),
})

describe('a cell that saves by itself', () => {
  it('TABLE-026 saves once typing has rested for the delay, against the version that was read', async () => {
    const { cell, save } = anAutoSave()
    cell.type('a')
    await vi.advanceTimersByTimeAsync(900)
    cell.type('ab')
    await vi.advanceTimersByTimeAsync(999)
    expect(save).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(save.mock.calls).toEqual([['ab', 1]])
    expect(cell.get()).toEqual({ draft: 'ab', status: 'saved', error: null })
    await vi.advanceTimersByTimeAsync(2000)
    expect(cell.get().status).toBe('idle')
  })

  it('never has two saves under way: the second waits for the version that the first brings', async () => {
    let finish: (() => void) | undefined
    const { cell, save } = anAutoSave(
      vi.fn(
        (_: string, version: number) => new Promise((resolve) => (finish = () => resolve({ version: version + 1 }))),
      ),
    )
    cell.type('a')
    await vi.advanceTimersByTimeAsync(1000)
    cell.type('b')
    await vi.advanceTimersByTimeAsync(5000)
    expect(save).toHaveBeenCalledTimes(1)
    finish?.()
    await vi.advanceTimersByTimeAsync(0)
    expect(save.mock.calls).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })

  it('keeps what was typed when a save fails, until it is tried again or undone', async () => {
    const { cell, save } = anAutoSave()
    save.mockRejectedValueOnce(new Error('The record was changed by somebody else'))
    cell.type('mine')
    await vi.advanceTimersByTimeAsync(1000)
    expect(cell.get()).toMatchObject({ draft: 'mine', status: 'failed' })
    expect(cell.get().error?.message).toBe('The record was changed by somebody else')
    cell.retry()
    await vi.advanceTimersByTimeAsync(0)
    expect(cell.get()).toMatchObject({ draft: 'mine', status: 'saved', error: null })
  })

  it('goes back to what is stored on undo', async () => {
    const { cell, save } = anAutoSave()
    save.mockRejectedValueOnce(new Error('no'))
    cell.type('mine')
    await vi.advanceTimersByTimeAsync(1000)
    cell.undo()
    expect(cell.get()).toEqual({ draft: 'old', status: 'idle', error: null })
  })

  it('does not save what is as it was', async () => {
    const { cell, save } = anAutoSave()
    cell.type('new')
    cell.type('old')
    await vi.advanceTimersByTimeAsync(5000)
    expect(save).not.toHaveBeenCalled()
    expect(cell.get().status).toBe('idle')
  })

  it('saves at once what still waits when the cell is left', async () => {
    const { cell, save } = anAutoSave()
    cell.type('new')
    cell.flush()
    expect(save).toHaveBeenCalledOnce()
  })

  it('is waited for until it has arrived, with what was typed meanwhile', async () => {
    const stored: string[] = []
    const { cell } = anAutoSave(
      vi.fn(async (value: string, version: number) => {
        await new Promise((later) => setTimeout(later, 300))
        stored.push(value)
        return { version: version + 1 }
      }),
    )
    cell.type('a')
    await vi.advanceTimersByTimeAsync(1000)
    cell.type('ab')
    const arrived = cell.flush()
    await vi.advanceTimersByTimeAsync(600)
    await arrived
    expect([stored, cell.get().status]).toEqual([['a', 'ab'], 'saved'])
  })

  it('after a conflict keeps what the other stored, or saves over it against the version that was seen', async () => {
    const { cell, save } = anAutoSave()
    save.mockRejectedValueOnce(new Error('changed meanwhile'))
    cell.type('mine')
    cell.flush()
    await vi.advanceTimersByTimeAsync(0)
    expect(cell.get().status).toBe('failed')
    cell.settle('theirs', 7, 'theirs')
    expect(cell.get()).toEqual({ draft: 'theirs', status: 'idle', error: null })
    cell.settle('theirs', 8, 'mine')
    expect(save.mock.calls).toEqual([
      ['mine', 1],
      ['mine', 8],
    ])
    await vi.advanceTimersByTimeAsync(0)
    expect(cell.get()).toMatchObject({ draft: 'mine', status: 'saved' })
  })

  it('takes the newer word of the server, but not over what is being typed', async () => {
    const { cell } = anAutoSave()
    cell.adopt('theirs', 2)
    expect(cell.get().draft).toBe('theirs')
    cell.type('mine')
    cell.adopt('theirs again', 3)
    expect(cell.get().draft).toBe('mine')
    cell.undo()
    expect(cell.get()).toEqual({ draft: 'theirs again', status: 'idle', error: null })
  })

  it('sends what waits against the version that it was typed over, so that the server refuses what another has stored since', async () => {
    const { cell, save } = anAutoSave()
    cell.type('mine')
    cell.adopt('theirs', 2)
    save.mockRejectedValueOnce(new Error('changed meanwhile'))
    cell.flush()
    await vi.advanceTimersByTimeAsync(0)
    cell.adopt('theirs again', 3)
    save.mockRejectedValueOnce(new Error('changed meanwhile'))
    cell.retry()
    await vi.advanceTimersByTimeAsync(0)
    expect(save.mock.calls).toEqual([
      ['mine', 1],
      ['mine', 1],
    ])
    cell.settle('theirs', 2, 'theirs')
    expect(cell.get()).toEqual({ draft: 'theirs again', status: 'idle', error: null })
  })

  it('goes on with the newer version when another has changed something else of the record', async () => {
    const { cell, save } = anAutoSave()
    cell.type('mine')
    cell.adopt('old', 2)
    cell.flush()
    expect(save.mock.calls).toEqual([['mine', 2]])
  })

  it('shows what was read while its own save was under way, when that is newer', async () => {
    const { cell, save } = anAutoSave()
    cell.type('mine')
    cell.flush()
    cell.adopt('theirs', 3)
    await vi.advanceTimersByTimeAsync(0)
    expect(save.mock.calls).toEqual([['mine', 1]])
    expect(cell.get().draft).toBe('theirs')
  })

  it('does not go back to what was read before its own save', async () => {
    const { cell } = anAutoSave()
    cell.type('mine')
    cell.flush()
    await vi.advanceTimersByTimeAsync(0)
    cell.adopt('old', 1)
    expect(cell.get().draft).toBe('mine')
  })
})
