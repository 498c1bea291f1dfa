import { DateTime } from 'luxon'

const formatters = new Map<string, Intl.DateTimeFormat>()

const formatterOf = (zone: string): Intl.DateTimeFormat => {
  let formatter = formatters.get(zone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'short', hour: 'numeric' })
    formatters.set(zone, formatter)
  }
  return formatter
}

const known = new Map<string, string>()
const largestMemory = 20_000

/** What a zone was called at an instant, e.g. EST or EDT. Zones change at most at full hours, so one answer serves the whole hour. */
export const zoneAbbreviation = (instant: string, zone: string): string => {
  const hour = `${zone}|${instant.slice(0, 13)}`
  const remembered = known.get(hour)
  if (remembered !== undefined) return remembered
  if (known.size > largestMemory) known.clear()
  const name =
    formatterOf(zone)
      .formatToParts(new Date(instant))
      .find((part) => part.type === 'timeZoneName')?.value ?? ''
  known.set(hour, name)
  return name
}

interface LocalTime {
  year: number
  month: number
  day: number
  hour: number
  minute: number
}

/** The instant that the clocks of a zone showed like this; null for a day or an hour that did not exist there. */
export const instantAt = (local: LocalTime, zone: string): string | null => {
  const moment = DateTime.fromObject(local, { zone })
  const isShown = moment.isValid && moment.hour === local.hour && moment.minute === local.minute
  return isShown ? moment.toUTC().toISO() : null
}
