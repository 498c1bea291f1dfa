import { describe, expect, it } from 'vitest'
import { checkPeriod, defaultPeriod, sentPeriod } from './period.ts'

describe('the period of a report', () => {
  it.each([
    ['2026-11-15T12:00:00Z', '2026-10-15', '2026-11-15'],
    ['2026-03-31T12:00:00Z', '2026-02-28', '2026-03-31'],
    ['2026-01-05T12:00:00Z', '2025-12-05', '2026-01-05'],
    // It is still the day before in the laboratory's time zone.
    ['2026-12-01T03:00:00Z', '2026-10-30', '2026-11-30'],
  ])("REP-12 REP-13 is from one month ago to today in the laboratory's time zone: %s", (now, fromDate, toDate) => {
    expect(defaultPeriod('America/Chicago', Date.parse(now))).toEqual({ fromDate, toDate })
  })

  it('REP-27 REP-28 needs both dates, valid and in order', () => {
    expect(checkPeriod({ fromDate: '', toDate: ' ' })).toEqual({
      fromDate: 'Date From is required',
      toDate: 'Date To is required',
    })
    expect(checkPeriod({ fromDate: '02/30/2026', toDate: '2026-03-01' })).toEqual({ fromDate: 'Invalid date' })
    expect(checkPeriod({ fromDate: '2026-03-02', toDate: '2026-03-01' })).toEqual({
      fromDate: 'Date From cannot be after Date To',
    })
    expect(checkPeriod({ fromDate: '2026-03-01', toDate: '2026-03-01' })).toBeNull()
  })

  it('REP-37 is sent as M/DD/YYYY', () => {
    expect(sentPeriod({ fromDate: '2026-03-01', toDate: '2026-11-05' })).toEqual({
      fromDate: '3/01/2026',
      toDate: '11/05/2026',
    })
  })
})
