import { parseDate } from '@lis/contract/kit/date-range.ts'

/** A part of a date or time that is typed in one go. */
export interface DatePart {
  of: 'month' | 'day' | 'year' | 'hours' | 'minutes'
  /** The fields of the whole date, for its own parts. */
  date?: { month: string; day: string; year: string }
}

const digitsOf = (part: DatePart) => (part.of === 'year' ? 4 : 2)

interface WholeDate {
  month: string
  day: string
  year: string
}

/** What was typed into a part: its value, whether it is complete, or a whole date. */
export const readPart = (
  part: DatePart,
  text: string,
  before: string,
  today: string,
): { value: string; isFull: boolean } | WholeDate => {
  const whole = part.of === 'month' && part.date ? readWholeDate(text, today) : undefined
  if (whole) return whole
  const [, digits, separator] = /^\s*(\d*)([/.:\-\s]?)$/.exec(text) ?? []
  if (digits === undefined) return { value: text, isFull: false }
  // A separator ends a part, and is nothing before its first digit.
  if (separator) return { value: digits, isFull: digits !== '' && text.length > before.length }
  return { value: digits, isFull: digits.length === digitsOf(part) && before.length < digits.length }
}

/** A whole date in the first part: '03051961', '3/5/61', '1961-03-05'. */
const readWholeDate = (text: string, today: string): WholeDate | undefined => {
  const clean = text.trim()
  const [, year4, month2, day2] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(clean) ?? []
  if (year4 && month2 && day2) return partsOf(month2, day2, year4, today)
  const [, month, day, year] =
    /^(\d{1,2})[-/.\s](\d{1,2})[-/.\s](\d{4}|\d{2})$/.exec(clean) ?? /^(\d{2})(\d{2})(\d{4}|\d{2})$/.exec(clean) ?? []
  return month && day && year ? partsOf(month, day, year, today) : undefined
}

const partsOf = (month: string, day: string, year: string, today: string): WholeDate | undefined => {
  const whole = { month: month.padStart(2, '0'), day: day.padStart(2, '0') }
  const found = { ...whole, year: wholeYear(year, whole, today) }
  return parseDate(`${found.month}/${found.day}/${found.year}`) === undefined ? undefined : found
}

/** Two digits are the latest year that is not in the future; anything else stays as typed. */
export const wholeYear = (year: string, { month, day }: { month: string; day: string }, today: string): string => {
  const typed = year.trim()
  if (!/^\d{2}$/.test(typed)) return year
  const century = Number(today.slice(0, 2))
  const latest = `${century}${typed}`
  // While the day is not known, the year alone decides.
  const date = parseDate(`${month}/${day}/${latest}`) ?? latest
  return date <= today.slice(0, date.length) ? latest : `${century - 1}${typed}`
}
