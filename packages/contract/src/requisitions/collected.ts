import { z } from 'zod'
import { parseDate } from '../kit/date-range.ts'
import { messages } from '../messages.ts'
import { dayPart, hoursPart, minutesPart, monthPart, yearPart } from '../validation.ts'
import { hoursOf, instantsAt, timeOfDay, type WallTime, wallTimeAt } from '../zoned-time.ts'

/** The collection time as form fields, in the client's time zone. */
export const collectedLabels = {
  dateCollectedMonth: 'Collected Month',
  dateCollectedDate: 'Collected Day',
  dateCollectedYear: 'Collected Year',
  timeCollectedHours: 'Collected Hours',
  timeCollectedMinutes: 'Collected Minutes',
  timeCollectedAmPm: 'Time of day',
  timeCollectedTurn: 'Which of the two',
} as const
const label = collectedLabels

export const amPm = (name: string) => z.enum(['am', 'pm'], { error: messages.required(name) })

export const collectedParts = {
  dateCollectedMonth: monthPart(label.dateCollectedMonth),
  dateCollectedDate: dayPart(label.dateCollectedDate),
  dateCollectedYear: yearPart(label.dateCollectedYear),
  timeCollectedHours: hoursPart(label.timeCollectedHours),
  timeCollectedMinutes: minutesPart(label.timeCollectedMinutes),
  timeCollectedAmPm: amPm(label.timeCollectedAmPm),
  /** For a local time that occurs twice when daylight saving ends: the first or the second occurrence. */
  timeCollectedTurn: z.literal(['first', 'second', '']).optional(),
}
export type CollectedParts = z.infer<z.ZodObject<typeof collectedParts>>

const numbers = [
  'dateCollectedMonth',
  'dateCollectedDate',
  'dateCollectedYear',
  'timeCollectedHours',
  'timeCollectedMinutes',
] as const

/** The parts as numbers, or undefined while one is missing or invalid. */
const wallTimeOf = (parts: Record<string, unknown>): WallTime | undefined => {
  const [month, day, year, hours, minutes] = numbers.map((name) => {
    const text = String(parts[name] ?? '').trim()
    return /^\d+$/.test(text) ? Number(text) : undefined
  })
  const half = parts.timeCollectedAmPm
  if (month === undefined || day === undefined || year === undefined) return undefined
  if (hours === undefined || minutes === undefined || (half !== 'am' && half !== 'pm')) return undefined
  if (parseDate(`${month}/${day}/${String(year).padStart(4, '0')}`) === undefined) return undefined
  return { year, month, day, hours: hoursOf({ hours, half }), minutes }
}

/** Adds the check that the date exists; the error belongs to the day field. */
export const withCollectedCheck = <T extends z.ZodObject>(form: T): T => {
  const isDay = (value: unknown) => {
    const { dateCollectedMonth: month, dateCollectedDate: day, dateCollectedYear: year } = value as CollectedParts
    if ([month, day, year].some((part) => typeof part !== 'number')) return true
    return parseDate(`${month}/${day}/${String(year).padStart(4, '0')}`) !== undefined
  }
  return form.refine(isDay, { path: ['dateCollectedDate'], message: messages.invalidDate, when: () => true })
}

/** The possible instants in the client's zone; empty while parts are missing, or for a time skipped by daylight saving. */
export const collectedInstants = (parts: Record<string, unknown>, zone: string | null): string[] => {
  const wall = zone === null || zone === 'TZNA' ? undefined : wallTimeOf(parts)
  return wall && zone ? instantsAt(wall, zone) : []
}

/** The instant with its offset, or the reason why there is none (CREATE-G7). */
export const combineCollected = (
  parts: CollectedParts,
  zone: string | null,
  now = Date.now(),
): { instant: string } | { error: string } => {
  if (zone === null || zone === 'TZNA') return { error: messages.clientTimezoneMissing }
  const [first, second] = collectedInstants(parts, zone)
  if (first === undefined) return { error: messages.timeSkipped }
  if (second !== undefined && !parts.timeCollectedTurn) return { error: messages.timeAmbiguous }
  const instant = second !== undefined && parts.timeCollectedTurn === 'second' ? second : first
  return Date.parse(instant) > now ? { error: messages.dateInFuture } : { instant }
}

/** The form fields of a stored instant. */
export const collectedPartsOf = (instant: string, zone: string): Record<keyof CollectedParts, string> => {
  const wall = wallTimeAt(instant, zone)
  const { hours, minutes, half } = timeOfDay(wall.hours, wall.minutes)
  const two = (value: number) => String(value).padStart(2, '0')
  const instants = instantsAt(wall, zone)
  const isSecond = instants.length > 1 && Date.parse(instants[1] as string) <= Date.parse(instant)
  return {
    dateCollectedMonth: two(wall.month),
    dateCollectedDate: two(wall.day),
    dateCollectedYear: String(wall.year).padStart(4, '0'),
    timeCollectedHours: two(hours),
    timeCollectedMinutes: two(minutes),
    timeCollectedAmPm: half,
    timeCollectedTurn: instants.length > 1 ? (isSecond ? 'second' : 'first') : '',
  }
}
