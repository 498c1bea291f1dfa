import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { instantOf, nowIn } from './time-fields.ts'

const zone = 'America/Phoenix'

describe('QC-07 the time of a run or a corrective action', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.setSystemTime('2026-11-18T14:40:41.500Z')
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('has seconds in the present minute, so that steps within a minute keep their order', () => {
    const { day, time } = nowIn(zone)
    expect([day, time]).toEqual(['2026-11-18', '07:40'])
    const openedAt = Date.now()
    vi.setSystemTime('2026-11-18T14:40:52Z')
    expect(instantOf(day, time, zone, openedAt)).toBe('2026-11-18T14:40:52.000Z')
  })
  it('is the moment in which the form was opened, saved in a later minute', () => {
    const openedAt = Date.now()
    vi.setSystemTime('2026-11-18T14:43:00Z')
    expect(instantOf('2026-11-18', '07:40', zone, openedAt)).toBe('2026-11-18T14:40:41.500Z')
  })
  it('is the minute that was typed otherwise, and empty where it is none', () => {
    expect(instantOf('2026-11-18', '06:10', zone, Date.now())).toBe('2026-11-18T13:10:00.000Z')
    expect(instantOf('2026-11-18', '', zone, Date.now())).toBe('')
  })
})
