const datePattern = /^(\d{4})-(\d{2})-(\d{2})/

/** A date without a time (YYYY-MM-DD), for tables and labels: MM/DD/YY. Independent of the time zone. */
export const formatDate = (isoDate: string): string =>
  withDateParts(isoDate, ([year, month, day]) => `${month}/${day}/${year.slice(2)}`)

/** Birth dates, filters and pickers: MM/DD/YYYY. */
export const formatLongDate = (isoDate: string): string =>
  withDateParts(isoDate, ([year, month, day]) => `${month}/${day}/${year}`)

/** Reports: M/DD/YYYY. */
export const formatReportDate = (isoDate: string): string =>
  withDateParts(isoDate, ([year, month, day]) => `${Number(month)}/${day}/${year}`)

/** A time and its zone, which is shown smaller: { text: '11/08/26 07:05', zone: 'PST' }. */
export interface TimestampText {
  text: string
  zone: string
}

/**
 * A timestamp (ISO) in a time zone: MM/DD/YY HH:mm and the zone's abbreviation. All screens format times here, never in the browser's zone
 * (TABLE-G17).
 */
export const formatTimestamp = (iso: string, zone: string): TimestampText => {
  const part = partsOf(iso, zone)
  return { text: `${part.month}/${part.day}/${part.year} ${part.hour}:${part.minute}`, zone: part.timeZoneName }
}

/** The day of a timestamp in a time zone: MM/DD/YY. */
export const formatDateInZone = (iso: string, zone: string): string => {
  const part = partsOf(iso, zone)
  return `${part.month}/${part.day}/${part.year}`
}

/** The hour of a timestamp in a time zone, 0 to 23. */
export const hourInZone = (iso: string, zone: string): number => Number(partsOf(iso, zone).hour)

/** The day of the week of a timestamp in a time zone: 'Wednesday'. */
export const weekdayInZone = (iso: string, zone: string): string => {
  const { month, day, year } = partsOf(iso, zone)
  return weekdays[new Date(Date.UTC(2000 + Number(year), Number(month) - 1, Number(day))).getUTCDay()] as string
}
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** A stored phone number: +C(AAA) PPP-NNNN if it has eleven digits, otherwise + and the digits (USR-G11). */
export const formatPhone = (digits: string | null | undefined): string => {
  if (!digits) return ''
  const parts = /^(\d)(\d{3})(\d{3})(\d{4})$/.exec(digits)
  return parts ? `+${parts[1]}(${parts[2]}) ${parts[3]}-${parts[4]}` : `+${digits}`
}

const byteUnits = ['bytes', 'KB', 'MB', 'GB']
const inUnit = (bytes: number, power: number) => (bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)
const powerOf = (bytes: number) =>
  Math.min(byteUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024)))

/** '4.6 MB' */
export const formatBytes = (bytes: number): string =>
  bytes === 1 ? '1 byte' : `${inUnit(bytes, powerOf(bytes))} ${byteUnits[powerOf(bytes)]}`

/** '3.1 of 4.6 MB': both in the unit of the total, so that the unit does not change during the transfer. */
export const formatProgress = (sent: number, total: number): string =>
  `${inUnit(sent, powerOf(total))} of ${formatBytes(total)}`

const withDateParts = (
  isoDate: string,
  print: (parts: [year: string, month: string, day: string]) => string,
): string => {
  const match = datePattern.exec(isoDate)
  return match ? print(match.slice(1, 4) as [string, string, string]) : ''
}

type Part = 'month' | 'day' | 'year' | 'hour' | 'minute' | 'timeZoneName'

const partsOf = (iso: string, zone: string) =>
  Object.fromEntries(
    formatterFor(zone)
      .formatToParts(new Date(iso))
      .map(({ type, value }) => [type, value]),
  ) as Record<Part, string>

// Creating a formatter takes a hundred times as long as using it, and tables format every row.
const formatters = new Map<string, Intl.DateTimeFormat>()
const formatterFor = (zone: string): Intl.DateTimeFormat => {
  const known = formatters.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    year: '2-digit',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone: zone,
  })
  formatters.set(zone, made)
  return made
}
