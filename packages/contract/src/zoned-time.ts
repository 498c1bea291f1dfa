/** A local date and time; hours from 0 to 23. */
export interface WallTime {
  year: number
  month: number
  day: number
  hours: number
  minutes: number
}

const formatters = new Map<string, Intl.DateTimeFormat>()
const formatterOf = (zone: string): Intl.DateTimeFormat => {
  const known = formatters.get(zone)
  if (known) return known
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formatters.set(zone, formatter)
  return formatter
}

/** The local time of a zone at an instant. */
export const wallTimeAt = (instant: string | number | Date, zone: string): WallTime => {
  const parts = Object.fromEntries(
    formatterOf(zone)
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts
  return { year, month, day, hours: hour, minutes: minute }
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const asUtc = ({ year, month, day, hours, minutes }: WallTime) => Date.UTC(year, month - 1, day, hours, minutes)
const offsetMinutes = (instant: number, zone: string) => (asUtc(wallTimeAt(instant, zone)) - instant) / minuteMs

/**
 * The instants of a local time in a zone, earlier first, as ISO text with the offset: usually one, none in the hour skipped by daylight
 * saving time, two in the repeated hour.
 */
export const instantsAt = (wall: WallTime, zone: string): string[] => {
  const guess = asUtc(wall)
  const offsets = [...new Set([-dayMs, dayMs].map((away) => offsetMinutes(guess + away, zone)))]
  return offsets
    .filter((offset) => offsetMinutes(guess - offset * minuteMs, zone) === offset)
    .sort((one, other) => other - one) // the larger offset comes first in time
    .map((offset) => `${new Date(guess).toISOString().slice(0, 19)}${formatOffset(offset)}`)
}

const two = (value: number) => String(value).padStart(2, '0')
const formatOffset = (offset: number) =>
  `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`

/** The local date at an instant, as YYYY-MM-DD. */
export const dayAt = (instant: string | number | Date, zone: string): string => {
  const { year, month, day } = wallTimeAt(instant, zone)
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

export interface TimeOfDay {
  hours: number
  minutes: number
  half: 'am' | 'pm'
}

/** 12 am is midnight, 12 pm noon. */
export const hoursOf = ({ hours, half }: Pick<TimeOfDay, 'hours' | 'half'>): number =>
  (hours % 12) + (half === 'pm' ? 12 : 0)

export const timeOfDay = (hours: number, minutes: number): TimeOfDay => ({
  hours: hours % 12 || 12,
  minutes,
  half: hours < 12 ? 'am' : 'pm',
})
