import { isIsoDate } from '@lis/contract/kit/date-range.ts'
import { messages } from '@lis/contract/messages.ts'
import { periodFault, reportPageLabels } from '@lis/contract/reports-pages.ts'
import { formatReportDate } from '../../lib/formats.ts'

/** What the two boxes hold: YYYY-MM-DD, or whatever is typed. */
export interface Period {
  fromDate: string
  toDate: string
}

/** From one month ago to today, on the reader's calendar (REP-12, REP-13). */
export const defaultPeriod = (now = new Date()): Period => ({ fromDate: isoOf(monthBefore(now)), toDate: isoOf(now) })

/** 03/31 has no day 31 a month before: then it is the month's last. */
const monthBefore = (date: Date): Date => {
  const lastDay = new Date(date.getFullYear(), date.getMonth(), 0).getDate()
  return new Date(date.getFullYear(), date.getMonth() - 1, Math.min(date.getDate(), lastDay))
}

const two = (value: number) => String(value).padStart(2, '0')
const isoOf = (date: Date) =>
  `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`

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
  fromDate: formatReportDate(fromDate),
  toDate: formatReportDate(toDate),
})
