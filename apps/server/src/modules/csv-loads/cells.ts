import { parseDate } from '@lis/contract/kit/date-range.ts'
import { DateTime } from 'luxon'

/** A day as ISO text; null when it is no day of the calendar. */
export const isoDateOf = (cell: string): string | null => parseDate(cell) ?? null

const timePattern =
  /^(\S+?)(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([AP]\.?M\.?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * A day and a time as ISO text, without a zone unless the cell names its offset; null when it is no time. With AM or PM the hours go
 * from 1 to 12. Seconds are dropped, as the screens drop them.
 */
export const isoTimeOf = (cell: string): string | null => {
  const [, date = '', hourText = '', minutes = '', seconds = '00', half = '', offset = ''] =
    timePattern.exec(cell) ?? []
  const day = isoDateOf(date)
  const hours = hoursOf(Number(hourText), half.charAt(0).toUpperCase())
  if (!day || hours === null || Number(minutes) > 59 || Number(seconds) > 59) return null
  const zone = offset.toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2')
  return `${day}T${String(hours).padStart(2, '0')}:${minutes}${zone}`
}

const hoursOf = (hours: number, half: string): number | null => {
  if (half === '') return hours < 24 ? hours : null
  return hours >= 1 && hours <= 12 ? (hours % 12) + (half === 'P' ? 12 : 0) : null
}

/** Files name the same few moments again and again, and working one out is slow. */
export const instantReader = () => {
  const known = new Map<string, string | null>()
  return (cell: string, zone: string): string | null => {
    const key = `${cell}|${zone}`
    let instant = known.get(key)
    if (instant === undefined) {
      const local = isoTimeOf(cell)
      const time = local === null ? null : DateTime.fromISO(local, { zone })
      instant = time?.isValid ? time.toUTC().toISO() : null
      if (known.size < 100_000) known.set(key, instant)
    }
    return instant
  }
}
