import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatDate,
  formatDateInZone,
  formatLongDate,
  formatPhone,
  formatProgress,
  formatReportDate,
  formatTimestamp,
} from './formats.ts'

describe('days', () => {
  it('TABLE-085 TABLE-089 have one format per use, independent of the time zone', () => {
    expect(formatDate('2026-01-02')).toBe('01/02/26')
    expect(formatLongDate('1960-01-02')).toBe('01/02/1960')
    expect(formatReportDate('2026-01-02')).toBe('1/02/2026')
  })
  it('are empty without a value', () => expect(formatLongDate('')).toBe(''))
})

describe('times', () => {
  it('TABLE-086 show their zone, in summer and in winter', () => {
    expect(formatTimestamp('2026-11-08T15:05:00Z', 'America/Los_Angeles')).toEqual({
      text: '11/08/26 07:05',
      zone: 'PST',
    })
    expect(formatTimestamp('2026-07-08T15:05:00Z', 'America/New_York')).toEqual({ text: '07/08/26 11:05', zone: 'EDT' })
  })
  it('use 00, not 24, for midnight', () => {
    expect(formatTimestamp('2026-11-08T00:00:00Z', 'UTC').text).toBe('11/08/26 00:00')
  })
  it('have the day of the zone, as MM/DD/YY', () => {
    expect(formatDateInZone('2026-11-08T05:00:00Z', 'America/Los_Angeles')).toBe('11/07/26')
  })
})

describe('phones', () => {
  it('USR-58 eleven digits are shown as +C(AAA) PPP-NNNN', () =>
    expect(formatPhone('15035550142')).toBe('+1(503) 555-0142'))
  it.each(['5550142', '495035550142'])('%s is shown as + and the digits', (digits) =>
    expect(formatPhone(digits)).toBe(`+${digits}`),
  )
  it.each([null, undefined, ''])('%s is shown as nothing', (digits) => expect(formatPhone(digits)).toBe(''))
})

describe('bytes', () => {
  it('use the unit that fits, and progress the unit of the total', () => {
    expect([0, 999, 1024, 4_823_450].map(formatBytes)).toEqual(['0 bytes', '999 bytes', '1.0 KB', '4.6 MB'])
    expect(formatProgress(0, 4_823_450)).toBe('0.0 of 4.6 MB')
    expect(formatProgress(3_250_586, 4_823_450)).toBe('3.1 of 4.6 MB')
  })
})
