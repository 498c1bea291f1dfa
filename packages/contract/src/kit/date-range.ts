export interface DateRange {
  /** ISO dates, both inclusive. */
  from: string
  to: string
}

const rangeText = /^\[(\d{2})\/(\d{2})\/(\d{4})-(\d{2})\/(\d{2})\/(\d{4})\]$/

/** Has the shape '[MM/DD/YYYY-MM/DD/YYYY]'; whether the dates exist is for `parseDateRange` to say. */
export const isDateRangeText = (text: string) => rangeText.test(text)

/** Null when it is no range, names a day that does not exist, or ends before it begins. */
export const parseDateRange = (text: string): DateRange | null => {
  const parts = rangeText.exec(text.trim())
  if (parts === null) return null
  const [, fromMonth, fromDay, fromYear, toMonth, toDay, toYear] = parts
  const from = `${fromYear}-${fromMonth}-${fromDay}`
  const to = `${toYear}-${toMonth}-${toDay}`
  return isIsoDate(from) && isIsoDate(to) && from <= to ? { from, to } : null
}

export const printDateRange = ({ from, to }: DateRange): string => `[${usDate(from)}-${usDate(to)}]`

/** A day of the calendar as YYYY-MM-DD; 2025-02-30 is not one. */
export const isIsoDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const usDate = (iso: string) => {
  const [year, month, day] = iso.split('-')
  return `${month}/${day}/${year}`
}
