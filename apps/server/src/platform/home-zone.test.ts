import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openTestApp } from '../../test/app.ts'
import { getHomeDay, getHomeZone, isInHomePeriod } from './home-zone.ts'

const test = openTestApp()

describe('the date in the laboratory', () => {
  it('is that of its time zone: at 23:30 in New York it is not tomorrow, whatever it is in UTC', async () => {
    const { db } = test.database
    expect(await getHomeZone(db)).toBe('America/New_York')
    await test.given.lab({ zone: 'America/New_York', is_default: true })
    const late = new Date('2026-11-17T04:30:00Z')
    expect(late.toISOString().slice(0, 10)).toBe('2026-11-17')
    expect(await getHomeDay(db, late)).toBe('2026-11-16')
    expect(await getHomeDay(db, new Date('2026-11-17T05:00:00Z'))).toBe('2026-11-17')
  })

  it('is part of the names of export files', async () => {
    await test.given.client()
    const staff = await test.as('STF')
    const before = await getHomeDay(test.database.db)
    const { body } = await staff.get('clients/export')
    const [, day] = /clients-([0-9-]{10})\.xlsx/.exec(decodeURIComponent(body.data.url)) ?? []
    // Midnight may pass meanwhile.
    expect([before, await getHomeDay(test.database.db)]).toContain(day)
  })
})

describe('a period of days', () => {
  it.each([
    ['2026-11-16', '2026-11-16', '2026-11-16T05:00:00Z', true],
    ['2026-11-16', '2026-11-16', '2026-11-17T04:59:59Z', true],
    ['2026-11-16', '2026-11-16', '2026-11-16T04:59:59Z', false],
    ['2026-11-16', '2026-11-16', '2026-11-17T05:00:00Z', false],
    // Clocks go forward on 2026-03-08.
    ['2026-03-08', '2026-03-08', '2026-03-09T03:59:59Z', true],
    ['2026-03-08', '2026-03-08', '2026-03-09T04:00:00Z', false],
    ['2026-11-16T05:00:00Z', '2026-11-16T06:00:00Z', '2026-11-16T05:59:59Z', true],
    ['2026-11-16T05:00:00Z', '2026-11-16T06:00:00Z', '2026-11-16T06:00:00Z', false],
  ])(
    'from %s to %s is counted in the zone of the laboratory: %s is in it: %s',
    async (fromDate, toDate, at, expected) => {
      const { rows } = await sql<{ isIn: boolean }>`
      select ${isInHomePeriod(sql`${at}::timestamptz`, { fromDate, toDate })} as "isIn"`.execute(test.database.db)
      expect(rows).toEqual([{ isIn: expected }])
    },
  )
})
