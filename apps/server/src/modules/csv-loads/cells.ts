import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import { DateTime } from 'luxon'

/** MM/DD/YYYY as ISO; null when it is no day of the calendar. */
export const isoDateOf = (cell: string): string | null => {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(cell) ?? []
  if (!month || !day || !year) return null
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isIsoDate(iso) ? iso : null
}

/** MM/DD/YYYY HH:mm as ISO text without a zone; null when it is no time. */
export const isoTimeOf = (cell: string): string | null => {
  const [, date = '', hours = '', minutes = ''] = /^(\S+) (\d{1,2}):(\d{2})$/.exec(cell) ?? []
  const day = isoDateOf(date)
  return day && Number(hours) < 24 && Number(minutes) < 60 ? `${day}T${hours.padStart(2, '0')}:${minutes}` : null
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
