import { DateTime } from 'luxon'

interface Clock {
  /** Minutes ahead of UTC. */
  ahead: number
  /** e.g. EST or EDT. */
  name: string
}

const formatters = new Map<string, Intl.DateTimeFormat>()

const formatterOf = (zone: string, timeZoneName: 'short' | 'longOffset'): Intl.DateTimeFormat => {
  const key = `${zone}|${timeZoneName}`
  let formatter = formatters.get(key)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName, hour: 'numeric' })
    formatters.set(key, formatter)
  }
  return formatter
}

const readClock = (milliseconds: number, zone: string): Clock => {
  const partOf = (kind: 'short' | 'longOffset') =>
    formatterOf(zone, kind)
      .formatToParts(milliseconds)
      .find((part) => part.type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(partOf('longOffset')) ?? []
  const ahead = Number(hours) * 60 + Number(minutes)
  return { ahead: sign === '-' ? -ahead : ahead, name: partOf('short') }
}

const known = new Map<string, Clock | null>()
const maxCached = 20_000
const day = 86_400_000

const cachedClock = (key: string, read: () => Clock | null): Clock | null => {
  let clock = known.get(key)
  if (clock === undefined) {
    if (known.size > maxCached) known.clear()
    clock = read()
    known.set(key, clock)
  }
  return clock
}

/**
 * The clock of a zone at an instant. Intl takes longer than everything else about a row, so its result is cached per day, and on the days
 * when the clocks change per hour: they change at full hours.
 */
const clockAt = (instant: string, zone: string): Clock => {
  const ofDay = cachedClock(`${zone}|${instant.slice(0, 10)}`, () => {
    const start = Date.parse(`${instant.slice(0, 10)}T00:00:00Z`)
    const [first, last] = [readClock(start, zone), readClock(start + day, zone)]
    return first.name === last.name && first.ahead === last.ahead ? first : null
  })
  if (ofDay) return ofDay
  const at = () => readClock(Date.parse(instant), zone)
  return cachedClock(`${zone}|${instant.slice(0, 13)}`, at) ?? at()
}

/** The abbreviation of a zone at an instant, e.g. EST or EDT. */
export const zoneAbbreviation = (instant: string, zone: string): string => clockAt(instant, zone).name

const two = (value: number) => String(value).padStart(2, '0')

/** The local time in a zone as MM/DD/YY HH:MM with the zone's abbreviation. */
export const formatTimeInZone = (instant: string, zone: string): string => {
  const { ahead, name } = clockAt(instant, zone)
  const time = new Date(Date.parse(instant) + ahead * 60_000)
  const date = `${two(time.getUTCMonth() + 1)}/${two(time.getUTCDate())}/${two(time.getUTCFullYear() % 100)}`
  return `${date} ${two(time.getUTCHours())}:${two(time.getUTCMinutes())} ${name}`
}

/** The local time for programs, to the second: 'YYYY-MM-DDTHH:MM:SS EST'. */
export const isoTimeInZone = (instant: string, zone: string): string => {
  const { ahead, name } = clockAt(instant, zone)
  return `${new Date(Date.parse(instant) + ahead * 60_000).toISOString().slice(0, 19)} ${name}`
}

interface LocalTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
}

/** The instant of a local time in a zone; null for a date or an hour that did not exist there. */
export const instantAt = (local: LocalTime, zone: string): string | null => {
  const moment = DateTime.fromObject(local, { zone })
  const isShown = moment.isValid && moment.hour === local.hour && moment.minute === local.minute
  return isShown ? moment.toUTC().toISO() : null
}

/** The date in a zone at an instant, YYYY-MM-DD. */
export const dayIn = (zone: string, at: Date): string => DateTime.fromJSDate(at, { zone }).toFormat('yyyy-MM-dd')
