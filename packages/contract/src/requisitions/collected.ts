import { z } from 'zod'
import { parseDate } from '../kit/date-range.ts'
import { messages } from '../messages.ts'
import { dayPart, hoursPart, minutesPart, monthPart, yearPart } from '../validation.ts'
import { hoursOf, instantsAt, timeOfDay, type WallTime, wallTimeAt } from '../zoned-time.ts'

/** The moment of collection as forms have it: in parts, by the clocks where the client is. */
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
  /** Of a time that the clocks show twice on the day they are set back: the first or the second. */
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

/** The parts as numbers once all of them are there, whether typed or checked. */
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

/** Adds to a form that the day exists; the message stands under it. */
export const withCollectedCheck = <T extends z.ZodObject>(form: T): T => {
  const isDay = (value: unknown) => {
    const { dateCollectedMonth: month, dateCollectedDate: day, dateCollectedYear: year } = value as CollectedParts
    if ([month, day, year].some((part) => typeof part !== 'number')) return true
    return parseDate(`${month}/${day}/${String(year).padStart(4, '0')}`) !== undefined
  }
  return form.refine(isDay, { path: ['dateCollectedDate'], message: messages.invalidDate, when: () => true })
}

/** The instants that the parts may mean in the client's zone; empty while they are incomplete, or at a time that is skipped. */
export const collectedInstants = (parts: Record<string, unknown>, zone: string | null): string[] => {
  const wall = zone === null || zone === 'TZNA' ? undefined : wallTimeOf(parts)
  return wall && zone ? instantsAt(wall, zone) : []
}

/** Date, time and the client's zone in one: the instant with its offset, or why there is none (CREATE-G7). */
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

/** A stored instant as the form shows it. */
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
