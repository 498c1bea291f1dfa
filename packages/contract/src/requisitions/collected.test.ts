import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messages } from '../messages.ts'
import {
  type CollectedParts,
  collectedInstants,
  collectedParts,
  collectedPartsOf,
  combineCollected,
  withCollectedCheck,
} from './collected.ts'

const zone = 'America/New_York'
/** As forms send it: 'month/day/year hours:minutes half'. */
const partsOf = (text: string, turn?: CollectedParts['timeCollectedTurn']): CollectedParts => {
  const [month, day, year, hours, minutes, half] = text.split(/[/ :]/)
  return {
    dateCollectedMonth: Number(month),
    dateCollectedDate: Number(day),
    dateCollectedYear: Number(year),
    timeCollectedHours: Number(hours),
    timeCollectedMinutes: Number(minutes),
    timeCollectedAmPm: half as 'am' | 'pm',
    ...(turn !== undefined && { timeCollectedTurn: turn }),
  }
}
const now = Date.parse('2026-12-01T00:00:00Z')
const combine = (text: string, turn?: CollectedParts['timeCollectedTurn']) =>
  combineCollected(partsOf(text, turn), zone, now)
const instantOf = (combined: ReturnType<typeof combineCollected>) =>
  'instant' in combined ? new Date(combined.instant).toISOString() : combined.error

describe('the collection time in a form', () => {
  it.each([
    ['CREATE-70', 'dateCollectedMonth', 'Collected Month is required'],
    ['CREATE-71', 'dateCollectedDate', 'Collected Day is required'],
    ['CREATE-72', 'dateCollectedYear', 'Collected Year is required'],
    ['CREATE-73', 'timeCollectedHours', 'Collected Hours is required'],
    ['CREATE-74', 'timeCollectedMinutes', 'Collected Minutes is required'],
    ['CREATE-75', 'timeCollectedAmPm', 'Time of day is required'],
  ])('%s needs %s', (_, name, message) => {
    const faults = z.object(collectedParts).safeParse({}).error?.issues ?? []
    expect(faults.find(({ path }) => path[0] === name)?.message).toBe(message)
  })
})

describe('the instant of collection', () => {
  it('is the time by the clocks of the client', () => {
    expect(instantOf(combine('6/1/2026 12:05 pm'))).toBe('2026-06-01T16:05:00.000Z')
    expect(instantOf(combine('6/1/2026 12:05 am'))).toBe('2026-06-01T04:05:00.000Z')
  })

  it('is refused without a zone, at a skipped time and in the future', () => {
    expect(combineCollected(partsOf('6/1/2026 1:00 pm'), null, now)).toEqual({ error: messages.clientTimezoneMissing })
    expect(combineCollected(partsOf('6/1/2026 1:00 pm'), 'TZNA', now)).toEqual({
      error: messages.clientTimezoneMissing,
    })
    expect(combine('3/8/2026 2:30 am')).toEqual({ error: messages.timeSkipped })
    expect(combine('12/2/2026 1:00 pm')).toEqual({ error: messages.dateInFuture })
  })

  it('needs to be told which of the two where the clocks show a time twice', () => {
    expect(combine('11/1/2026 1:30 am')).toEqual({ error: messages.timeAmbiguous })
    expect(instantOf(combine('11/1/2026 1:30 am', 'first'))).toBe('2026-11-01T05:30:00.000Z')
    expect(instantOf(combine('11/1/2026 1:30 am', 'second'))).toBe('2026-11-01T06:30:00.000Z')
    // Elsewhere the choice has no meaning.
    expect(instantOf(combine('6/1/2026 1:30 am', 'second'))).toBe('2026-06-01T05:30:00.000Z')
  })

  it('comes back in the parts of the form, with which of the two it was', () => {
    const shown = (instant: string) => collectedPartsOf(instant, zone)
    expect(shown('2026-06-01T16:05:00Z')).toEqual({
      dateCollectedMonth: '06',
      dateCollectedDate: '01',
      dateCollectedYear: '2026',
      timeCollectedHours: '12',
      timeCollectedMinutes: '05',
      timeCollectedAmPm: 'pm',
      timeCollectedTurn: '',
    })
    expect(shown('2026-11-01T05:30:00Z').timeCollectedTurn).toBe('first')
    expect(shown('2026-11-01T06:30:00Z').timeCollectedTurn).toBe('second')
  })

  it('is unknown while a part or the zone is missing', () => {
    const parts = partsOf('6/1/2026 1:00 pm')
    expect(collectedInstants(parts, zone)).toHaveLength(1)
    for (const unknown of [null, 'TZNA']) expect(collectedInstants(parts, unknown)).toEqual([])
    for (const name of Object.keys(parts)) expect(collectedInstants({ ...parts, [name]: '' }, zone), name).toEqual([])
  })
})

it('a form refuses a day that does not exist, at the day', () => {
  const form = withCollectedCheck(z.object(collectedParts))
  expect(form.safeParse(partsOf('2/28/2026 1:00 pm')).success).toBe(true)
  const { error } = form.safeParse(partsOf('2/30/2026 1:00 pm'))
  expect(error?.issues).toMatchObject([{ path: ['dateCollectedDate'], message: messages.invalidDate }])
})
