export interface DateRange {
  /** ISO dates, both inclusive. */
  from: string
  to: string
}

const rangeText = /^\[(\d{2})\/(\d{2})\/(\d{4})-(\d{2})\/(\d{2})\/(\d{4})\]$/

/** Has the shape '[MM/DD/YYYY-MM/DD/YYYY]'; `parseDateRange` checks that the dates exist. */
export const isDateRangeText = (text: string) => rangeText.test(text)

/** Null when it is no range, names a day that does not exist, or ends before it begins. */
export const parseDateRange = (text: string): DateRange | null => {
  const days = twoDays(text)
  return days !== null && days.from <= days.to ? days : null
}

/** Why `parseDateRange` refuses the text. `format` is the spelling the caller expects, with or without brackets. */
export const dateRangeError = (name: string, text: string, format: string): string =>
  twoDays(text) === null ? `${name} must be two dates: ${format}` : `${name}: the first day cannot be after the last`

/** Days that move with the calendar, in the zone of the laboratory: the last seven end today, and the month is the whole one. */
export const relativeDays = ['today', 'last 7 days', 'this month'] as const
export type RelativeDays = (typeof relativeDays)[number]

/** A filter by a date takes these words in place of two dates, in any case. */
export const findRelativeDays = (text: string): RelativeDays | undefined =>
  relativeDays.find((words) => words === text.trim().toLowerCase())

export const formatDateRange = ({ from, to }: DateRange): string => `[${usDate(from)}-${usDate(to)}]`

/** An existing date as YYYY-MM-DD; 2025-02-30 is not one. */
export const isIsoDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Reads M/D/YYYY, MM/DD/YYYY and YYYY-MM-DD; undefined for a date that does not exist. */
export const parseDate = (text: string): string | undefined => {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text.trim()) ?? []
  const iso = year ? `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}` : text.trim()
  return isIsoDate(iso) ? iso : undefined
}

/** Two existing dates, in either order. */
const twoDays = (text: string): DateRange | null => {
  const parts = rangeText.exec(text.trim())
  if (parts === null) return null
  const [, fromMonth, fromDay, fromYear, toMonth, toDay, toYear] = parts
  const from = `${fromYear}-${fromMonth}-${fromDay}`
  const to = `${toYear}-${toMonth}-${toDay}`
  return isIsoDate(from) && isIsoDate(to) ? { from, to } : null
}

export const usDate = (iso: string) => {
  const [year, month, day] = iso.split('-')
  return `${month}/${day}/${year}`
}
