import { isIsoDate, parseDate } from '@lis/contract/kit/date-range.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { checkPeriod, type Period, sentPeriod } from './period.ts'

export const insightTabs = { qaReports: 'QA Reports', summaryReports: 'Summary Reports' } as const
export type InsightTab = keyof typeof insightTabs
export const insightTabOf = (slug: string | undefined): InsightTab =>
  slug !== undefined && Object.hasOwn(insightTabs, slug) ? (slug as InsightTab) : 'qaReports'

/** Days of the buttons beside the period. */
export const spans = [
  ['7 d', 7],
  ['30 d', 30],
  ['90 d', 90],
  ['Year', 365],
] as const

const dayMs = 86_400_000
/** So many days up to today, in the laboratory's time zone. */
export const spanOf = (days: number, zone: string, now = Date.now()): Period => ({
  fromDate: dayAt(now - (days - 1) * dayMs, zone),
  toDate: dayAt(now, zone),
})

const filterNames = ['labId', 'clientId', 'colaId'] as const

export interface Chosen {
  period: Period
  /** Errors of the period by field; null if it is valid. */
  errors: Partial<Period> | null
  filters: Partial<Record<(typeof filterNames)[number], number>>
}

/** As YYYY-MM-DD; a person may have typed it as it is shown. What is no date stays, and is named on the page. */
const dayIn = (params: URLSearchParams, name: 'from' | 'to') => {
  const text = params.get(name)
  return text === null ? null : (parseDate(text) ?? text)
}

/** What the address says; without a period the last 30 days. */
export const readChosen = (params: URLSearchParams, zone: string): Chosen => {
  const usual = spanOf(30, zone)
  const period = { fromDate: dayIn(params, 'from') ?? usual.fromDate, toDate: dayIn(params, 'to') ?? usual.toDate }
  const filters = Object.fromEntries(
    filterNames.flatMap((name) => {
      const id = Number(params.get(name))
      return Number.isSafeInteger(id) && id > 0 ? [[name, id]] : []
    }),
  )
  return { period, errors: checkPeriod(period), filters }
}

export const sentChosen = ({ period, filters }: Chosen) => ({ ...sentPeriod(period), ...filters })

/** The number of days of a valid period, for the matching button. */
export const daysOf = ({ fromDate, toDate }: Period): number | null =>
  isIsoDate(fromDate) && isIsoDate(toDate) ? Math.round((Date.parse(toDate) - Date.parse(fromDate)) / dayMs) + 1 : null
