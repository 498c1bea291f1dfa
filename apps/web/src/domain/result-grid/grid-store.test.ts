import type { ResultProblem } from '@lis/contract/requisition-tests.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createGridStore, type GridEntry, matchOption, pastedColumn } from './grid-store.ts'

beforeEach(() => {
  units = undefined
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const problem = (reqTestId: number, kind: ResultProblem['kind']): ResultProblem => ({
  reqTestId,
  testCode: 'TRIG',
  kind,
  message: `why ${reqTestId}`,
  doubts: [],
  previous: null,
})

let units: string | undefined

const open = (answers: (unknown | undefined)[] = []) => {
  const sent: GridEntry[][] = []
  const grid = createGridStore({
    save: async (entries) => {
      sent.push(entries)
      const answer = answers.shift()
      if (answer !== undefined) throw answer
    },
    problemsOf: (error) => (Array.isArray(error) ? error : []),
    versionOf: () => 3,
    unitsOf: () => units,
  })
  const statuses = () => Object.fromEntries([...grid.get()].map(([id, { status }]) => [id, status]))
  return { grid, sent, statuses }
}

describe('the result grid', () => {
  it('saves what was typed shortly after its cell is left, with the version that was read', async () => {
    const { grid, sent, statuses } = open()
    grid.type(1, ' 118.46 ')
    grid.commit(1, '')
    expect(statuses()).toEqual({ 1: 'waiting' })
    await vi.advanceTimersByTimeAsync(999)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual([[{ reqTestId: 1, result: '118.46', version: 3 }]])
    expect(statuses()).toEqual({ 1: 'saved' })
    await vi.advanceTimersByTimeAsync(2_000)
    expect(statuses()).toEqual({})
  })

  it('TEST-77 sends the unit that was shown when a value was typed or pasted', async () => {
    const { grid, sent } = open()
    units = 'mg/dL'
    grid.type(1, '2')
    grid.paste([{ id: 2, text: '5' }])
    units = 'mmol/L'
    grid.type(1, '200')
    grid.commit(1, '')
    await grid.flush()
    grid.paste([{ id: 2, text: '6' }])
    await grid.flush()
    expect(sent.map((entries) => entries.map((entry) => [entry.reqTestId, entry.result, entry.units]))).toEqual([
      [
        [1, '200', 'mg/dL'],
        [2, '5', 'mg/dL'],
      ],
      [[2, '6', 'mmol/L']],
    ])
  })

  it('drops stuck input, or all of it, also what is pending or being saved', async () => {
    const { grid, sent, statuses } = open([new Error('canceled')])
    grid.paste([{ id: 1, text: '5' }])
    const isSent = grid.flush()
    grid.paste([{ id: 2, text: '6' }])
    grid.type(3, '7')
    grid.giveUp(false)
    expect(statuses()).toEqual({ 1: 'saving', 2: 'waiting' })
    grid.giveUp(true)
    await isSent
    await vi.advanceTimersByTimeAsync(3_000)
    expect([statuses(), sent.length]).toEqual([{}, 1])
  })

  it('sends nothing that is undone or unchanged', async () => {
    const { grid, sent } = open()
    grid.type(1, '5')
    grid.commit(1, '5')
    grid.type(2, '6')
    grid.commit(2, '')
    grid.undo([2])
    grid.paste([
      { id: 3, text: '7' },
      { id: 4, text: '8' },
    ])
    await vi.advanceTimersByTimeAsync(2_900)
    grid.undoWaiting()
    await vi.advanceTimersByTimeAsync(10_000)
    expect([sent, grid.get().size]).toEqual([[], 0])
  })

  it('keeps a doubtful value in its cell and saves the others without it; once confirmed, it is saved too', async () => {
    const { grid, sent, statuses } = open([[problem(2, 'doubtful')]])
    grid.paste([
      { id: 1, text: '200' },
      { id: 2, text: '900' },
      { id: 3, text: '50' },
    ])
    await grid.flush()
    expect(statuses()).toEqual({ 1: 'saved', 2: 'doubtful', 3: 'saved' })
    expect(sent.map((entries) => entries.map(({ reqTestId }) => reqTestId))).toEqual([
      [1, 2, 3],
      [1, 3],
    ])
    await grid.confirm(2)
    expect(sent.at(-1)).toEqual([{ reqTestId: 2, result: '900', version: 3, isConfirmed: 1 }])
    expect(statuses()[2]).toBe('saved')
  })

  it('keeps what could not be sent until it is sent again', async () => {
    const { grid, statuses } = open([new Error('Server Error1')])
    grid.type(1, '5')
    grid.commit(1, '')
    await grid.flush()
    expect(grid.get().get(1)).toMatchObject({ status: 'failed', message: 'Server Error1', text: '5' })
    await grid.retry([1])
    expect(statuses()).toEqual({ 1: 'saved' })
  })

  it('a confirmation applies to the value it was given for', async () => {
    const { grid, sent } = open([[problem(1, 'doubtful')], [problem(1, 'doubtful')]])
    grid.type(1, '900')
    grid.commit(1, '')
    await grid.flush()
    grid.type(1, '950')
    grid.commit(1, '')
    await grid.flush()
    expect(sent[1]).toEqual([{ reqTestId: 1, result: '950', version: 3 }])
  })

  it('reads a copied column, and options by code, text or prefix', () => {
    expect(pastedColumn('1\r\n2\t9\r\n\r\n4\r\n')).toEqual(['1', '2', '', '4'])
    const options = [
      { code: 'NEG', description: 'Negative' },
      { code: 'POS', description: 'Positive' },
      { code: 'EQV', description: 'Equivocal' },
    ]
    expect(['p', 'negative', 'EQV', 'maybe', ''].map((text) => matchOption(options, text))).toEqual([
      'POS',
      'NEG',
      'EQV',
      'maybe',
      '',
    ])
  })
})
