import { parseDate } from '@lis/contract/kit/date-range.ts'
import { DateTime } from 'luxon'

/** A date as ISO text; null when it is not a calendar date. */
export const parseIsoDate = (cell: string): string | null => parseDate(cell) ?? null

const timePattern =
  /^(\S+?)(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*([AP]\.?M\.?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * Date and time as ISO text, without a zone unless the cell has an offset; null when invalid. With AM or PM the hours go from 1 to 12.
 * Seconds are dropped, as on the screens.
 */
export const parseIsoTime = (cell: string): string | null => {
  const [, date = '', hourText = '', minutes = '', seconds = '00', half = '', offset = ''] =
    timePattern.exec(cell) ?? []
  const day = parseIsoDate(date)
  const hours = parseHours(Number(hourText), half.charAt(0).toUpperCase())
  if (!day || hours === null || Number(minutes) > 59 || Number(seconds) > 59) return null
  const zone = offset.toUpperCase().replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2')
  return `${day}T${String(hours).padStart(2, '0')}:${minutes}${zone}`
}

const parseHours = (hours: number, half: string): number | null => {
  if (half === '') return hours < 24 ? hours : null
  return hours >= 1 && hours <= 12 ? (hours % 12) + (half === 'P' ? 12 : 0) : null
}

/** Caches converted times: files repeat the same few, and the conversion is slow. */
export const instantReader = () => {
  const known = new Map<string, string | null>()
  return (cell: string, zone: string): string | null => {
    const key = `${cell}|${zone}`
    let instant = known.get(key)
    if (instant === undefined) {
      const local = parseIsoTime(cell)
      const time = local === null ? null : DateTime.fromISO(local, { zone })
      instant = time?.isValid ? time.toUTC().toISO() : null
      if (known.size < 100_000) known.set(key, instant)
    }
    return instant
  }
}
