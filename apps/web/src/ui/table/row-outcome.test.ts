import { describe, expect, it } from 'vitest'
import { withRemovedRows } from './row-outcome.ts'

const same = (row: string) => row
const merge = (now: string, before: string, marked: string) =>
  withRemovedRows([...now], [...before], same, (row) => marked.includes(row)).join('')

describe('rows that have left the list since an action', () => {
  it('keep their position among remaining and new rows', () => {
    expect(merge('bdxy', 'abcd', 'ac')).toBe('abcdxy')
    expect(merge('xy', 'ab', 'ab')).toBe('abxy')
    expect(merge('', 'ab', 'ab')).toBe('ab')
  })
  it('are shown only if they have an outcome, and once', () => {
    expect(merge('bd', 'abcd', '')).toBe('bd')
    expect(merge('abcd', 'abcd', 'ab')).toBe('abcd')
  })
})
