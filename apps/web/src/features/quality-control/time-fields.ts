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

const isInMinute = (at: number, start: number) => at >= start && at < start + minuteMs

/** When a run was made: with seconds in the present minute, or the one in which the form was opened, so that it follows what was before it. */
export const runTime = (day: string, time: string, zone: string, openedAt: number): string => {
  const minute = minuteOf(day, time, zone)
  const exact = [Date.now(), openedAt].find((at) => isInMinute(at, Date.parse(minute)))
  return exact === undefined ? minute : new Date(exact).toISOString()
}

/** When a corrective action was done: by the minute, but after the rejected run of that minute, which it answers. */
export const actionTime = (day: string, time: string, zone: string, rejectedAt: string | undefined): string => {
  const minute = minuteOf(day, time, zone)
  const rejected = rejectedAt === undefined ? Number.NaN : Date.parse(rejectedAt)
  return isInMinute(rejected, Date.parse(minute)) ? new Date(rejected + 1).toISOString() : minute
}
