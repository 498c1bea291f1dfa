import { isIsoDate, printDateRange } from '@lis/contract/kit/date-range.ts'

const typedDate = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/

/** YYYY-MM-DD as people read it; anything else (half-typed) as it stands. */
export const showDate = (value: string): string =>
  isIsoDate(value) ? `${value.slice(5, 7)}/${value.slice(8, 10)}/${value.slice(0, 4)}` : value

/** What was typed as YYYY-MM-DD once it is a day of the calendar; until then as typed, so that a check can refuse it. */
export const readDate = (text: string): string => {
  const parts = typedDate.exec(text.trim())
  if (!parts) return text
  const [, month = '', day = '', year] = parts
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isIsoDate(iso) ? iso : text
}

/** Sets the slashes while digits are typed one after the other; corrections in the middle are left alone. */
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

/** '[MM/DD/YYYY-MM/DD/YYYY]' without its brackets. */
export const showRange = (value: string): string => value.replace(/^\[(.*)\]$/, '$1')

/** The range in its brackets once both days are there, in either spelling of the dash and in either order; until then as typed. */
export const readRange = (text: string): string => {
  const [from = '', to = ''] = text.split(/\s*[-–]\s*(?=\d{1,2}\/\d{1,2}\/\d{4}$)/)
  const range = { from: readDate(from), to: readDate(to) }
  return isIsoDate(range.from) && isIsoDate(range.to) ? printDateRange(range) : text
}

/** The oldest birth date that a picker offers: 100 years ago. */
export const birthDateMin = () => {
  const date = new Date()
  date.setUTCFullYear(date.getUTCFullYear() - 100)
  return date.toISOString().slice(0, 10)
}

const typedTime = /^(\d{1,2})[:.]?(\d{2})?$/

/** HH:mm from '7', '705', '7:05' or '7.05'; what is no time stays as typed. */
export const readTime = (text: string): string => {
  const parts = typedTime.exec(text.trim())
  if (!parts) return text
  const [, hours = '', minutes = '00'] = parts
  if (Number(hours) > 23 || Number(minutes) > 59) return text
  return `${hours.padStart(2, '0')}:${minutes}`
}

/** The times that the picker offers: every quarter of an hour. */
export const quarterHours: readonly string[] = Array.from({ length: 96 }, (_, quarter) => {
  const minutes = quarter * 15
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
})
