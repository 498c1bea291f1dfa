import { describe, expect, it } from 'vitest'
import { formatDuration } from '../../lib/durations.ts'
import { formatHours, formatLimit, greetingAt } from './durations.ts'

const minutes = (count: number) => count * 60_000

describe('durations of Home', () => {
  it.each([
    [0, '0 min'],
    [22, '22 min'],
    [114, '1 h 54'],
    [65, '1 h 05'],
    [860, '14 h'],
    [47 * 60 + 59, '47 h'],
    [76 * 60, '3 d 04 h'],
  ])('%d minutes read %s', (count, text) => expect(formatDuration(minutes(count))).toBe(text))

  it.each([
    [30, '30 min'],
    [240, '4 h'],
    [2880, '2 d'],
    [90, '1.5 h'],
  ])('a limit of %d minutes reads %s', (count, text) => expect(formatLimit(minutes(count))).toBe(text))

  it('hours of a stage under one are minutes', () =>
    expect([0.6, 9.4, 2, null].map(formatHours)).toEqual(['36 min', '9.4 h', '2 h', '–']))

  it('greets by the clock of the laboratory', () => {
    const at = new Date('2026-11-18T13:42:00Z')
    expect([greetingAt(at, 'America/New_York'), greetingAt(at, 'Europe/Berlin')]).toEqual([
      'Good morning',
      'Good afternoon',
    ])
    expect(greetingAt(at, 'Asia/Tokyo')).toBe('Good evening')
  })
})
