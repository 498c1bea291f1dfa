import { describe, expect, it } from 'vitest'
import { type DatePart, readPart, wholeYear } from './date-parts.ts'

const today = '2026-11-19'
const date = { month: 'm', day: 'd', year: 'y' }
const month: DatePart = { of: 'month', date }
const whole = { month: '03', day: '05', year: '1961' }

describe('a date in parts, DAY-10', () => {
  it.each(['03051961', '03/05/1961', '3/5/61', '1961-03-05', '03-05-1961', ' 3.5.1961 ', '030561'])(
    '%s in the first part is the whole date',
    (text) => expect(readPart(month, text, '', today)).toEqual(whole),
  )

  it.each([
    [month, '0', '', { value: '0', isFull: false }],
    [month, '03', '0', { value: '03', isFull: true }],
    [month, '3/', '3', { value: '3', isFull: true }],
    [month, '/', '', { value: '', isFull: false }],
    // A digit taken away does not complete a part.
    [month, '03', '031', { value: '03', isFull: false }],
    [month, '13311961', '', { value: '13311961', isFull: false }],
    [{ of: 'year' } as const, '61', '6', { value: '61', isFull: false }],
    [{ of: 'year' } as const, '1961', '196', { value: '1961', isFull: true }],
    [{ of: 'hours' } as const, '9:', '9', { value: '9', isFull: true }],
    [{ of: 'minutes' } as const, '05', '0', { value: '05', isFull: true }],
    [{ of: 'day' } as const, 'x', '', { value: 'x', isFull: false }],
  ])('%j takes %s after "%s"', (part, text, before, expected) => {
    expect(readPart(part, text, before, today)).toEqual(expected)
  })

  it.each([
    ['61', '3', '5', '1961'],
    ['26', '11', '19', '2026'],
    ['26', '11', '20', '1926'],
    ['26', '', '', '2026'],
    ['27', '', '', '1927'],
    ['1961', '3', '5', '1961'],
    ['6', '3', '5', '6'],
  ])('the year %s of %s/%s is %s', (year, m, d, expected) => {
    expect(wholeYear(year, { month: m, day: d }, today)).toBe(expected)
  })
})
