import { describe, expect, it } from 'vitest'
import { withLeft } from './row-outcome.ts'

const same = (row: string) => row
const merge = (now: string, before: string, marked: string) =>
  withLeft([...now], [...before], same, (row) => marked.includes(row)).join('')

describe('rows that have left the list since an action', () => {
  it('stand where they stood, among those that are still there and those that have come', () => {
    expect(merge('bdxy', 'abcd', 'ac')).toBe('abcdxy')
    expect(merge('xy', 'ab', 'ab')).toBe('abxy')
    expect(merge('', 'ab', 'ab')).toBe('ab')
  })
  it('are shown only for their mark, and once', () => {
    expect(merge('bd', 'abcd', '')).toBe('bd')
    expect(merge('abcd', 'abcd', 'ab')).toBe('abcd')
  })
})
