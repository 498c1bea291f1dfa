import { expect, it } from 'vitest'
import { receivedAt } from './received-now.ts'

it.each([
  ['2026-11-08T20:05:00Z', 'America/New_York', ['11', '08', '2026', '03', '05', 'pm']],
  ['2026-11-09T04:59:00Z', 'America/Los_Angeles', ['11', '08', '2026', '08', '59', 'pm']],
  ['2026-07-04T07:05:00Z', 'America/Los_Angeles', ['07', '04', '2026', '12', '05', 'am']],
  ['2026-07-04T19:05:00Z', 'America/Los_Angeles', ['07', '04', '2026', '12', '05', 'pm']],
])('SPEC-018 SPEC-019 %s in the time zone %s', (instant, zone, shown) => {
  expect(Object.values(receivedAt(new Date(instant), zone))).toEqual(shown)
})
