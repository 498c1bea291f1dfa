import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { actionTime, nowIn, runTime } from './time-fields.ts'

const zone = 'America/Phoenix'

beforeEach(() => {
  vi.useFakeTimers()
  vi.setSystemTime('2026-11-18T14:40:41.500Z')
})
afterEach(() => {
  vi.useRealTimers()
})

describe('QC-07 the time of a run', () => {
  it('has seconds in the present minute', () => {
    const { day, time } = nowIn(zone)
    expect([day, time]).toEqual(['2026-11-18', '07:40'])
    const openedAt = Date.now()
    vi.setSystemTime('2026-11-18T14:40:52Z')
    expect(runTime(day, time, zone, openedAt)).toBe('2026-11-18T14:40:52.000Z')
  })
  it('is the moment in which the form was opened, saved in a later minute', () => {
    const openedAt = Date.now()
    vi.setSystemTime('2026-11-18T14:43:00Z')
    expect(runTime('2026-11-18', '07:40', zone, openedAt)).toBe('2026-11-18T14:40:41.500Z')
  })
  it('is the minute that was typed otherwise, and empty where it is none', () => {
    expect(runTime('2026-11-18', '06:10', zone, Date.now())).toBe('2026-11-18T13:10:00.000Z')
    expect(runTime('2026-11-18', '', zone, Date.now())).toBe('')
  })
})

it.each([
  ['2026-11-18T14:40:20Z', '2026-11-18T14:40:20.001Z'],
  ['2026-11-18T14:39:59Z', '2026-11-18T14:40:00.000Z'],
  ['2026-11-18T14:41:00Z', '2026-11-18T14:40:00.000Z'],
  [undefined, '2026-11-18T14:40:00.000Z'],
])('QC-07 an action of 07:40 after a run that was rejected at %s was done at %s', (rejectedAt, doneAt) => {
  expect(actionTime('2026-11-18', '07:40', zone, rejectedAt)).toBe(doneAt)
})
