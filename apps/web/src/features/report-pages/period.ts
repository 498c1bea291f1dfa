import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import { messages } from '@lis/contract/messages.ts'
import { periodFault, reportPageLabels } from '@lis/contract/reports-pages.ts'
import { formatReportDate } from '../../lib/formats.ts'

/** The two inputs: YYYY-MM-DD, or the typed text. */
export interface Period {
  fromDate: string
  toDate: string
}

/** From one month ago to today, in the browser's time zone (REP-12, REP-13). */
export const defaultPeriod = (now = new Date()): Period => ({ fromDate: isoOf(monthBefore(now)), toDate: isoOf(now) })

/** A month before 03/31 is the last day of February. */
const monthBefore = (date: Date): Date => {
  const lastDay = new Date(date.getFullYear(), date.getMonth(), 0).getDate()
  return new Date(date.getFullYear(), date.getMonth() - 1, Math.min(date.getDate(), lastDay))
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
const isoOf = (date: Date) =>
  `${String(date.getFullYear()).padStart(4, '0')}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`

/** Errors of a period, by field; null if it is valid. */
export const checkPeriod = ({ fromDate, toDate }: Period): Partial<Period> | null => {
  const errors: Partial<Period> = {}
  for (const name of ['fromDate', 'toDate'] as const) {
    const value = name === 'fromDate' ? fromDate : toDate
    if (value.trim() === '') errors[name] = messages.required(reportPageLabels[name])
    else if (!isIsoDate(value)) errors[name] = messages.invalidDate
  }
  if (Object.keys(errors).length > 0) return errors
  const error = periodFault(fromDate, toDate)
  return error ? { fromDate: error } : null
}

/** REP-37: M/DD/YYYY. */
export const sentPeriod = ({ fromDate, toDate }: Period): Period => ({
  fromDate: formatReportDate(fromDate),
  toDate: formatReportDate(toDate),
})
