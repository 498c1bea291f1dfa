import { isoDate } from '@lis/contract/validation.ts'
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
  const now = DateTime.now().setZone(zone)
  return { day: now.toFormat('yyyy-MM-dd'), time: now.toFormat('HH:mm') }
}

export const instantOf = (day: string, time: string, zone: string): string =>
  DateTime.fromISO(`${day}T${time}`, { zone }).toUTC().toISO() as string
