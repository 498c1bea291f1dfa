import { findRelativeDays, formatDateRange, isIsoDate } from '@lis/contract/kit/date-range.ts'

const typedDate = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/

/** YYYY-MM-DD as MM/DD/YYYY; anything else (half-typed) unchanged. */
export const showDate = (value: string): string =>
  isIsoDate(value) ? `${value.slice(5, 7)}/${value.slice(8, 10)}/${value.slice(0, 4)}` : value

/** The typed text as YYYY-MM-DD if it is a valid date, otherwise unchanged, for validation to refuse. */
export const readDate = (text: string): string => {
  const parts = typedDate.exec(text.trim())
  if (!parts) return text
  const [, month = '', day = '', year] = parts
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isIsoDate(iso) ? iso : text
}

/** Inserts the slashes while digits are typed; corrections in the middle are left alone. */
export const typeDate = (next: string, previous: string): string => {
  const slashed = next.replace(/[.\-\s/]+/g, '/')
  if (!next.startsWith(previous) || !/^[\d/]*$/.test(slashed)) return next
  const text = slashed
    .replace(/^(\d)\//, (_, month) => `0${month}/`)
    .replace(/^(\d\d)(\d)/, (_, month, rest) => `${month}/${rest}`)
    .replace(/^(\d\d\/)(\d)\//, (_, month, day) => `${month}0${day}/`)
    .replace(/^(\d\d\/\d\d)(\d)/, (_, days, rest) => `${days}/${rest}`)
    .slice(0, 10)
  return /^\d\d(\/\d\d)?$/.test(text) ? `${text}/` : text
}

/** 'Last 7 days' for 'last 7 days', as it is shown; undefined for other texts. */
export const showRelative = (value: string): string | undefined => {
  const words = findRelativeDays(value)
  return words && words.charAt(0).toUpperCase() + words.slice(1)
}

/** '[MM/DD/YYYY-MM/DD/YYYY]' without its brackets. */
export const showRange = (value: string): string => showRelative(value) ?? value.replace(/^\[(.*)\]$/, '$1')

/** The range in brackets once both dates are typed, with either dash and in either order; until then unchanged. */
export const readRange = (text: string): string => {
  const words = findRelativeDays(text)
  if (words) return words
  const [from = '', to = ''] = text.split(/\s*[-–]\s*(?=\d{1,2}\/\d{1,2}\/\d{4}$)/)
  const range = { from: readDate(from), to: readDate(to) }
  return isIsoDate(range.from) && isIsoDate(range.to) ? formatDateRange(range) : text
}

/** The earliest birth date of a picker: 100 years ago. */
export const birthDateMin = () => {
  const date = new Date()
  date.setUTCFullYear(date.getUTCFullYear() - 100)
  return date.toISOString().slice(0, 10)
}

const typedTime = /^(\d{1,2})[:.]?(\d{2})?$/

/** HH:mm from '7', '705', '7:05' or '7.05'; other text unchanged. */
export const readTime = (text: string): string => {
  const parts = typedTime.exec(text.trim())
  if (!parts) return text
  const [, hours = '', minutes = '00'] = parts
  if (Number(hours) > 23 || Number(minutes) > 59) return text
  return `${hours.padStart(2, '0')}:${minutes}`
}

/** The times that the picker offers. */
export const quarterHours: readonly string[] = Array.from({ length: 96 }, (_, quarter) => {
  const minutes = quarter * 15
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
})
