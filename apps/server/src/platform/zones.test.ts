import { DateTime } from 'luxon'
import { describe, expect, it } from 'vitest'
import { formatTimeInZone, zoneAbbreviation } from './zones.ts'

const zones = ['America/New_York', 'America/Phoenix', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Europe/London', 'UTC']

describe('the clock of a zone', () => {
  it('agrees with Intl, also in the hours around a change', () => {
    const days = ['2026-03-08', '2026-11-01', '2026-04-05', '2026-03-29', '2026-07-01', '2025-12-31']
    for (const zone of zones) {
      for (const day of days) {
        for (let minutes = 0; minutes < 1440; minutes += 20) {
          const instant = new Date(Date.parse(`${day}T00:00:00Z`) + minutes * 60_000).toISOString()
          const name = zoneAbbreviation(instant, zone)
          const shown = DateTime.fromISO(instant, { zone }).toFormat('MM/dd/yy HH:mm')
          expect(`${zone} ${formatTimeInZone(instant, zone)}`).toBe(`${zone} ${shown} ${name}`)
        }
      }
    }
  })

  it('uses the abbreviation of the season', () => {
    expect(zoneAbbreviation('2026-07-01T12:00:00Z', 'America/New_York')).toBe('EDT')
    expect(zoneAbbreviation('2026-12-01T12:00:00Z', 'America/New_York')).toBe('EST')
    expect(zoneAbbreviation('2026-11-01T05:59:00Z', 'America/New_York')).toBe('EDT')
    expect(zoneAbbreviation('2026-11-01T06:00:00Z', 'America/New_York')).toBe('EST')
  })
})
