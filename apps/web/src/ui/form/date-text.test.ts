import { describe, expect, it } from 'vitest'
import { quarterHours, readDate, readRange, readTime, showDate, showRange, typeDate } from './date-text.ts'

const typed = (keys: string) => [...keys].reduce((text, key) => typeDate(text + key, text), '')

describe('dates as text', () => {
  it.each([
    ['01021960', '01/02/1960'],
    ['1/2/1960', '01/02/1960'],
    ['01/02/1960', '01/02/1960'],
    ['12.31.1999', '12/31/1999'],
  ])('TABLE-083 typing %s gives %s', (keys, text) => expect(typed(keys)).toBe(text))

  it('leaves corrections in the middle alone', () => {
    expect(typeDate('01/0/1960', '01/02/1960')).toBe('01/0/1960')
    expect(typeDate('01/02/196', '01/02/1960')).toBe('01/02/196')
  })

  it('TABLE-064 is a date only if the calendar has it', () => {
    expect(readDate('1/2/1960')).toBe('1960-01-02')
    expect(readDate('02/30/1960')).toBe('02/30/1960')
    expect(readDate('01/02/19')).toBe('01/02/19')
    expect(showDate('1960-01-02')).toBe('01/02/1960')
    expect(showDate('01/02/19')).toBe('01/02/19')
  })

  it('TABLE-082 a range gets its brackets once both dates are typed; their order is left to validation', () => {
    expect(readRange('11/08/2026-11/14/2026')).toBe('[11/08/2026-11/14/2026]')
    expect(readRange('1/8/2026 – 11/14/2026')).toBe('[01/08/2026-11/14/2026]')
    expect(readRange('11/14/2026-11/08/2026')).toBe('[11/14/2026-11/08/2026]')
    expect(readRange('11/14/2026')).toBe('11/14/2026')
    expect(showRange('[11/08/2026-11/14/2026]')).toBe('11/08/2026-11/14/2026')
  })

  it('times can be typed in any common format and are offered in quarter hours', () => {
    expect(['7', '705', '7:05', '07.05', '0705'].map(readTime)).toEqual(['07:00', '07:05', '07:05', '07:05', '07:05'])
    expect(['24:00', '7:60', 'noon', ''].map(readTime)).toEqual(['24:00', '7:60', 'noon', ''])
    expect(quarterHours.slice(0, 5)).toEqual(['00:00', '00:15', '00:30', '00:45', '01:00'])
    expect(quarterHours.at(-1)).toBe('23:45')
  })
})
