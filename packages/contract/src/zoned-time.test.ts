import { describe, expect, it } from 'vitest'
import { dayAt, hoursOf, instantsAt, timeOfDay, wallTimeAt } from './zoned-time.ts'

const at = (text: string) => {
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0] = text.split(/[-T:]/).map(Number)
  return { year, month, day, hours, minutes }
}

describe('a date and time in the zone of a client, CREATE-79 DETAIL-145', () => {
  it('is one instant with its offset', () => {
    expect(instantsAt(at('2026-11-08T10:05'), 'America/Los_Angeles')).toEqual(['2026-11-08T10:05:00-08:00'])
    expect(instantsAt(at('2026-07-08T10:05'), 'America/Los_Angeles')).toEqual(['2026-07-08T10:05:00-07:00'])
    expect(instantsAt(at('2026-07-08T00:30'), 'Asia/Kolkata')).toEqual(['2026-07-08T00:30:00+05:30'])
    expect(instantsAt(at('2026-03-08T02:30'), 'America/Phoenix')).toEqual(['2026-03-08T02:30:00-07:00'])
  })
  it('does not exist in the hour skipped by daylight saving time', () => {
    expect(instantsAt(at('2026-03-08T02:30'), 'America/New_York')).toEqual([])
    expect(instantsAt(at('2026-03-08T03:00'), 'America/New_York')).toEqual(['2026-03-08T03:00:00-04:00'])
  })
  it('exists twice in the hour repeated by daylight saving time', () => {
    expect(instantsAt(at('2026-11-01T01:30'), 'America/New_York')).toEqual([
      '2026-11-01T01:30:00-04:00',
      '2026-11-01T01:30:00-05:00',
    ])
  })
  it('is converted back to local time', () => {
    expect(wallTimeAt('2026-11-01T06:30:00Z', 'America/New_York')).toEqual(at('2026-11-01T01:30'))
    expect(dayAt('2026-11-01T03:00:00Z', 'America/New_York')).toBe('2026-10-31')
  })
  it('converts between 12 and 24 hours', () => {
    expect([hoursOf({ hours: 12, half: 'am' }), hoursOf({ hours: 12, half: 'pm' })]).toEqual([0, 12])
    expect([timeOfDay(0, 5), timeOfDay(13, 7)]).toEqual([
      { hours: 12, minutes: 5, half: 'am' },
      { hours: 1, minutes: 7, half: 'pm' },
    ])
  })
})
