import { describe, expect, it } from 'vitest'
import { failedReportsOf } from './failed-reports.ts'

const ended = (failed: { id: number; reason: string }[]) =>
  failedReportsOf({ state: 'DONE', message: null, result: { made: 2, failed } })

describe("the end of 'Make reports'", () => {
  it('reports nothing if every report was created', () => {
    expect(ended([])).toBeNull()
  })

  it('names the requisition and the reason of each that was not created', () => {
    const reason = 'A report made here cannot print Ꮳ in the client.'
    expect(ended([{ id: 12, reason }])).toEqual({ message: `1 report was not made. #12: ${reason}`, ids: [12] })
  })

  it('names the first, groups those with the same reason, counts the others, and links to all of them', () => {
    const unmade = ended([1, 2, 3, 4, 5].map((id) => ({ id, reason: id === 2 ? 'No price.' : 'No result.' })))
    expect(unmade).toEqual({
      message: '5 reports were not made. #1, #3: No result; #2: No price; and 2 more.',
      ids: [1, 2, 3, 4, 5],
    })
  })

  it('reports a job that failed as a whole', () => {
    const message = 'The person who asked for this is no longer allowed to do it'
    expect(failedReportsOf({ state: 'FAILED', message, result: null })).toEqual({ message, ids: [] })
    expect(failedReportsOf({ state: 'CANCELLED', message: null, result: null })?.message).toBe(
      'The reports could not be made',
    )
  })
})
