import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import { messages } from '@lis/contract/messages.ts'
import { periodFault, reportPageLabels } from '@lis/contract/reports-pages.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { formatReportDay } from '../../lib/formats.ts'

/** What the two boxes hold: YYYY-MM-DD, or whatever is typed. */
export interface Period {
  fromDate: string
  toDate: string
}

/** From one month ago to today, on the calendar of the laboratory (REP-12, REP-13). */
export const defaultPeriod = (zone: string, now = Date.now()): Period => {
  const toDate = dayAt(now, zone)
  return { fromDate: monthBefore(toDate), toDate }
}

/** 03/31 has no day 31 a month before: then it is the month's last. */
const monthBefore = (day: string): string => {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const lastDay = new Date(Date.UTC(year, month - 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 2, Math.min(date, lastDay))).toISOString().slice(0, 10)
}

/** What is wrong with a period, by field; null when it can be sent. */
export const checkPeriod = ({ fromDate, toDate }: Period): Partial<Period> | null => {
  const errors: Partial<Period> = {}
  for (const name of ['fromDate', 'toDate'] as const) {
    const value = name === 'fromDate' ? fromDate : toDate
    if (value.trim() === '') errors[name] = messages.required(reportPageLabels[name])
    else if (!isIsoDate(value)) errors[name] = messages.invalidDate
  }
  if (Object.keys(errors).length > 0) return errors
  const fault = periodFault(fromDate, toDate)
  return fault ? { fromDate: fault } : null
}

/** REP-37: M/DD/YYYY. */
export const sentPeriod = ({ fromDate, toDate }: Period): Period => ({
  fromDate: formatReportDay(fromDate),
  toDate: formatReportDay(toDate),
})
