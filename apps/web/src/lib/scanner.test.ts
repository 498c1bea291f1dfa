import { describe, expect, it } from 'vitest'
import { ScanReader } from './scanner.ts'

/** The code that the last key ends, when each key comes so many milliseconds after the one before. */
const press = (keys: readonly string[], gapMs: number, reader = new ScanReader(), from = 0) =>
  keys.map((key, index) => reader.press({ key, at: from + index * gapMs })).at(-1)
const typed = (text: string, end: string) => [...text, end]

describe('ScanReader', () => {
  it.each(['Enter', 'Tab'])('DAY-20 four fast characters and %s are a scan', (end) => {
    expect(press(typed('1000021DP', end), 12)).toBe('1000021DP')
    expect(press(typed('1234', end), 49)).toBe('1234')
  })

  it('DAY-20 slower typing, three characters and a late Enter are typing', () => {
    expect(press(typed('1000021', 'Enter'), 50)).toBeNull()
    expect(press(typed('123', 'Enter'), 10)).toBeNull()
    const reader = new ScanReader()
    press([...'1000021'], 10, reader)
    expect(press(['Enter'], 0, reader, 500)).toBeNull()
  })

  it('DAY-20 what was typed before a scan does not belong to it, nor does Shift', () => {
    const reader = new ScanReader()
    press([...'ab'], 200, reader)
    expect(press(['Shift', 'S', '-', '4', '2', 'Enter'], 10, reader, 1000)).toBe('S-42')
    expect(press(typed('1000022', 'Enter'), 10, reader, 2000)).toBe('1000022')
  })

  it('DAY-20 a key that is no character ends what was begun', () => {
    const reader = new ScanReader()
    expect(press([...'1000', 'Backspace', '1', '2', 'Enter'], 10, reader)).toBeNull()
  })
})
