import { describe, expect, it } from 'vitest'
import { findCurrent } from './use-current.ts'

const among = (ids: readonly number[], { all = ids, own = [] as number[] } = {}) => ({
  ids,
  isWaiting: (id: number) => all.includes(id),
  isOwn: (id: number) => own.includes(id),
})
const shown = (id: number | null, at: number) => ({ id, at })

describe('the current result', () => {
  it('BENCH-20 is the first one until another is chosen, also when more urgent ones arrive above it', () => {
    expect(findCurrent(null, shown(null, 0), among([5, 6]))).toEqual({ at: 0, takenId: null })
    expect(findCurrent(null, shown(5, 0), among([9, 5, 6]))).toEqual({ at: 1, takenId: null })
    expect(findCurrent(6, shown(5, 0), among([9, 5, 6]))).toEqual({ at: 2, takenId: null })
  })
  it('BENCH-20 is the next one after an own decision, and none after one of somebody else', () => {
    expect(findCurrent(5, shown(5, 0), among([6, 7], { own: [5] }))).toEqual({ at: 0, takenId: null })
    expect(findCurrent(5, shown(5, 0), among([6, 7]))).toEqual({ at: -1, takenId: 5 })
    expect(findCurrent(null, shown(5, 0), among([6, 7]))).toEqual({ at: -1, takenId: 5 })
    expect(findCurrent(4, shown(5, 0), among([6, 7], { own: [4] }))).toEqual({ at: -1, takenId: 5 })
  })
  it('is another one while a filter hides it', () => {
    expect(findCurrent(5, shown(5, 3), among([6, 7], { all: [5, 6, 7] }))).toEqual({ at: 1, takenId: null })
    expect(findCurrent(null, shown(5, 0), among([], { all: [5] }))).toEqual({ at: -1, takenId: null })
  })
})
