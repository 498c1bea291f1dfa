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

describe('an auto-saved cell', () => {
  it('TABLE-026 saves once typing has paused, with the version that was read', async () => {
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

  it('never runs two saves: the second waits for the version of the first', async () => {
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

  it('keeps the input when a save fails, until it is retried or undone', async () => {
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

  it('returns to the stored value on undo', async () => {
    const { cell, save } = anAutoSave()
    save.mockRejectedValueOnce(new Error('no'))
    cell.type('mine')
    await vi.advanceTimersByTimeAsync(1000)
    cell.undo()
    expect(cell.get()).toEqual({ draft: 'old', status: 'idle', error: null })
  })

  it('does not save an unchanged value', async () => {
    const { cell, save } = anAutoSave()
    cell.type('new')
    cell.type('old')
    await vi.advanceTimersByTimeAsync(5000)
    expect(save).not.toHaveBeenCalled()
    expect(cell.get().status).toBe('idle')
  })

  it('saves pending input at once when the cell is left', async () => {
    const { cell, save } = anAutoSave()
    cell.type('new')
    cell.flush()
    expect(save).toHaveBeenCalledOnce()
  })

  it('can be awaited until everything is saved, including later input', async () => {
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

  it("after a conflict keeps the other user's value, or overwrites it with the version that was seen", async () => {
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

  it('takes a newer value from the server, but not over pending input', async () => {
    const { cell } = anAutoSave()
    cell.adopt('theirs', 2)
    expect(cell.get().draft).toBe('theirs')
    cell.type('mine')
    cell.adopt('theirs again', 3)
    expect(cell.get().draft).toBe('mine')
    cell.undo()
    expect(cell.get()).toEqual({ draft: 'theirs again', status: 'idle', error: null })
  })

  it("sends pending input with the version it was based on, so that the server refuses it after another user's change", async () => {
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

  it('takes the newer version when another user has changed something else of the record', async () => {
    const { cell, save } = anAutoSave()
    cell.type('mine')
    cell.adopt('old', 2)
    cell.flush()
    expect(save.mock.calls).toEqual([['mine', 2]])
  })

  it('shows what was read during its own save, if that is newer', async () => {
    const { cell, save } = anAutoSave()
    cell.type('mine')
    cell.flush()
    cell.adopt('theirs', 3)
    await vi.advanceTimersByTimeAsync(0)
    expect(save.mock.calls).toEqual([['mine', 1]])
    expect(cell.get().draft).toBe('theirs')
  })

  it('does not return to what was read before its own save', async () => {
    const { cell } = anAutoSave()
    cell.type('mine')
    cell.flush()
    await vi.advanceTimersByTimeAsync(0)
    cell.adopt('old', 1)
    expect(cell.get().draft).toBe('mine')
  })
})
