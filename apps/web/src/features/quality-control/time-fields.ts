import { isoDate } from '@lis/contract/validation.ts'
import { dayAt, wallTimeAt } from '@lis/contract/zoned-time.ts'
import { DateTime } from 'luxon'
import { z } from 'zod'
import type { FieldDef } from '../../ui/form/field-types.ts'

/** A moment as day and time in the zone of the laboratory. */
export const timeFields = (label: string): readonly FieldDef[] => [
  { name: 'day', label: `${label}, day`, kind: 'date', isRequired: true },
  { name: 'time', label: `${label}, time`, kind: 'time', isRequired: true },
]

export const timeShape = {
  day: isoDate('Day'),
  time: z.string({ error: 'Time is required' }).regex(/^\d{2}:\d{2}$/, 'Time is required'),
}

export const nowIn = (zone: string) => {
  const now = Date.now()
  const { hours, minutes } = wallTimeAt(now, zone)
  return { day: dayAt(now, zone), time: [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':') }
}

const minuteMs = 60_000

/** The beginning of a minute; empty where day and time are none. */
export const minuteOf = (day: string, time: string, zone: string): string =>
  DateTime.fromISO(`${day}T${time}`, { zone }).toUTC().toISO() ?? ''

/**
 * The moment of a day and time. In the present minute, or the one in which the form was opened, it has seconds: a rejected run, what was
 * done about it and the next run keep their order.
 */
export const instantOf = (day: string, time: string, zone: string, openedAt: number): string => {
  const minute = minuteOf(day, time, zone)
  const start = Date.parse(minute)
  const exact = [Date.now(), openedAt].find((at) => at >= start && at < start + minuteMs)
  return exact === undefined ? minute : new Date(exact).toISOString()
}
