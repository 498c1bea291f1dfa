import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  dateRangeError,
  findRelativeDays,
  formatDateRange,
  isIsoDate,
  parseDateRange,
  relativeDays,
} from './date-range.ts'

describe('a date range', () => {
  it("TABLE-082 is written '[MM/DD/YYYY-MM/DD/YYYY]'", () => {
    expect(parseDateRange('[01/31/2025-02/28/2025]')).toEqual({ from: '2025-01-31', to: '2025-02-28' })
    expect(formatDateRange({ from: '2025-01-31', to: '2025-02-28' })).toBe('[01/31/2025-02/28/2025]')
  })
  it('may be one day long', () => {
    expect(parseDateRange('[02/29/2024-02/29/2024]')).toEqual({ from: '2024-02-29', to: '2024-02-29' })
  })
  it.each([
    '',
    '01/31/2025-02/28/2025',
    '[1/31/2025-2/28/2025]',
    '[01/31/2025]',
    '[02/30/2025-03/01/2025]',
    '[02/29/2025-03/01/2025]',
    '[13/01/2025-01/01/2026]',
    '[00/10/2025-01/01/2026]',
    '[02/28/2025-01/31/2025]',
  ])('TABLE-064 refuses %j', (text) => {
    expect(parseDateRange(text)).toBeNull()
  })
  it('DAY-02 has words for days that move with the calendar, and no others', () => {
    expect(relativeDays.map((words) => findRelativeDays(` ${words.toUpperCase()} `))).toEqual(relativeDays)
    expect(['yesterday', 'last 8 days', '', 'constructor'].map(findRelativeDays)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
  it('has separate errors for a reversed and for a malformed range', () => {
    const fault = (text: string) => dateRangeError('Date Collected', text, 'MM/DD/YYYY-MM/DD/YYYY')
    expect(fault('[12/31/2026-01/01/2026]')).toBe('Date Collected: the first day cannot be after the last')
    for (const text of ['yesterday', '12/31/2026', '[02/30/2026-03/01/2026]', '[99/01/2026-01/01/2026]'])
      expect(fault(text)).toBe('Date Collected must be two dates: MM/DD/YYYY-MM/DD/YYYY')
  })
  it('is the same after format and parse, for every pair of days', () => {
    const day = fc
      .date({ min: new Date('1900-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10))
    fc.assert(
      fc.property(day, day, (one, other) => {
        const [from, to] = one < other ? [one, other] : [other, one]
        expect(parseDateRange(formatDateRange({ from, to }))).toEqual({ from, to })
      }),
    )
  })
  it.each([
    ['2024-02-29', true],
    ['2025-02-29', false],
    ['2025-2-9', false],
    ['2025-12-31T00:00', false],
  ])('isIsoDate(%s) is %s', (text, expected) => {
    expect(isIsoDate(text)).toBe(expected)
  })
})
