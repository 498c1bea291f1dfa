import { describe, expect, it } from 'vitest'
import { lastDays } from './last-days.ts'

describe('the days over which a rule is tried', () => {
  it.each([
    ['2026-11-17T12:00:00Z', '2026-08-19', '2026-11-17'],
    // It is still the day before in the laboratory.
    ['2026-11-17T04:30:00Z', '2026-08-18', '2026-11-16'],
    ['2026-11-17T05:00:00Z', '2026-08-19', '2026-11-17'],
  ])('BENCH-22 end today in the time zone of the laboratory: %s', (now, fromDate, toDate) => {
    expect(lastDays(90, 'America/New_York', Date.parse(now))).toEqual({ fromDate, toDate })
  })
})
