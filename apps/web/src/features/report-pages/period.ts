import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import { messages } from '@lis/contract/messages.ts'
import { periodError, reportPageLabels } from '@lis/contract/reports-pages.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { formatReportDate } from '../../lib/formats.ts'

/** The two inputs: YYYY-MM-DD, or the typed text. */
export interface Period {
  fromDate: string
  toDate: string
}

/** From one month ago to today, in the laboratory's time zone (REP-12, REP-13). */
export const defaultPeriod = (zone: string, now = Date.now()): Period => {
  const toDate = dayAt(now, zone)
  return { fromDate: monthBefore(toDate), toDate }
}

/** A month before 03/31 is the last day of February. */
const monthBefore = (day: string): string => {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const lastDay = new Date(Date.UTC(year, month - 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 2, Math.min(date, lastDay))).toISOString().slice(0, 10)
}

/** Errors of a period, by field; null if it is valid. */
export const checkPeriod = ({ fromDate, toDate }: Period): Partial<Period> | null => {
  const errors: Partial<Period> = {}
  for (const name of ['fromDate', 'toDate'] as const) {
    const value = name === 'fromDate' ? fromDate : toDate
    if (value.trim() === '') errors[name] = messages.required(reportPageLabels[name])
    else if (!isIsoDate(value)) errors[name] = messages.invalidDate
  }
  if (Object.keys(errors).length > 0) return errors
  const error = periodError(fromDate, toDate)
  return error ? { fromDate: error } : null
}

/** REP-37: M/DD/YYYY. */
export const sentPeriod = ({ fromDate, toDate }: Period): Period => ({
  fromDate: formatReportDate(fromDate),
  toDate: formatReportDate(toDate),
})
