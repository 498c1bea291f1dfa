import { describe, expect, it } from 'vitest'
import { unmadeOf } from './unmade-reports.ts'

const ended = (failed: { id: number; reason: string }[]) =>
  unmadeOf({ state: 'DONE', message: null, result: { made: 2, failed } })

describe("the end of 'Make reports'", () => {
  it('leaves nothing to say when every report was made', () => {
    expect(ended([])).toBeNull()
  })

  it('names the requisition and the reason of each that was not made', () => {
    const reason = 'A report made here cannot print 王 in the client.'
    expect(ended([{ id: 12, reason }])).toEqual({ message: `1 report was not made. #12: ${reason}`, ids: [12] })
  })

  it('names the first, those with one reason together, counts the others, and leads to all of them', () => {
    const unmade = ended([1, 2, 3, 4, 5].map((id) => ({ id, reason: id === 2 ? 'No price.' : 'No result.' })))
    expect(unmade).toEqual({
      message: '5 reports were not made. #1, #3: No result; #2: No price; and 2 more.',
      ids: [1, 2, 3, 4, 5],
    })
  })

  it('tells of a job that failed as a whole', () => {
    const message = 'The person who asked for this is no longer allowed to do it'
    expect(unmadeOf({ state: 'FAILED', message, result: null })).toEqual({ message, ids: [] })
    expect(unmadeOf({ state: 'CANCELLED', message: null, result: null })?.message).toBe('The reports could not be made')
  })
})
