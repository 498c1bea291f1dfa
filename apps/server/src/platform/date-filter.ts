import { dateRangeError, findRelativeDays, parseDateRange, type RelativeDays } from '@lis/contract/kit/date-range.ts'
import type { FilterValue } from '@lis/contract/kit/list-query.ts'
import { sql } from 'kysely'
import { invalid } from './errors.ts'
import { homeZoneSql } from './home-zone.ts'
import type { Sql } from './lists.ts'

/** The first and the last day of a filter, both inclusive, each to be cast to a date. */
interface Days {
  from: Sql
  to: Sql
}

const today = sql`(now() at time zone ${homeZoneSql})`

const relative: Record<RelativeDays, Days> = {
  today: { from: today, to: today },
  'last 7 days': { from: sql`(${today} - interval '6 days')`, to: today },
  'this month': {
    from: sql`date_trunc('month', ${today})`,
    to: sql`(date_trunc('month', ${today}) + interval '1 month - 1 day')`,
  },
}

/** The days of a date filter, as two dates or as words; anything else is refused with the name of the field and the reason. */
export const requireDays = (field: string, value: FilterValue): Days => {
  const text = String(value)
  const words = findRelativeDays(text)
  if (words) return relative[words]
  const range = parseDateRange(text)
  if (!range) throw invalid('filter', dateRangeError(field, text, '[MM/DD/YYYY-MM/DD/YYYY]'))
  return { from: sql`${range.from}`, to: sql`${range.to}` }
}
