import { sql } from 'kysely'
import type { Db } from './db/db.ts'
import { endOfDay } from './db/rows-as-of.ts'
import type { Sql } from './lists.ts'
import { dayIn } from './zones.ts'

/** The time zone of the laboratory, for dates that belong to no requisition; with several laboratories that of the first. */
export const homeZoneSql = sql<string>`coalesce((select zone from lab where deleted_at is null order by is_default desc, id limit 1), 'America/New_York')`

/** Whether an instant is on one of these days in the zone of the laboratory, both inclusive. */
export const isOnHomeDays = (instant: Sql, { from, to }: { from: Sql; to: Sql }): Sql =>
  sql`(${instant} >= ${from}::date::timestamp at time zone ${homeZoneSql} and ${instant} < (${to}::date + 1)::timestamp at time zone ${homeZoneSql})`

/** YYYY-MM-DD, a date in the zone of the laboratory. */
export type HomeDay = string

/** Of a call that reads one record by its id, or all as they were on a day. */
export interface OneOrDay {
  id?: number | null
  asOf?: HomeDay | undefined
}

/** The end of a day in the zone of the laboratory; undefined without a day. */
export const endOfHomeDay = (day: HomeDay | undefined): Sql | undefined =>
  day === undefined ? undefined : endOfDay(day, homeZoneSql)

/**
 * Whether an instant is in a period whose ends are each a day in the zone of the laboratory, inclusive, or an instant; the end as an
 * instant is exclusive.
 */
export const isInHomePeriod = (instant: Sql, { fromDate, toDate }: { fromDate: string; toDate: string }): Sql => {
  const from = isDay(fromDate)
    ? sql`(${fromDate}::date::timestamp at time zone ${homeZoneSql})`
    : sql`${fromDate}::timestamptz`
  const to = isDay(toDate) ? endOfDay(toDate, homeZoneSql) : sql`${toDate}::timestamptz`
  return sql`(${instant} >= ${from} and ${instant} < ${to})`
}

const isDay = (text: string) => text.length === 10

export const getHomeZone = async (db: Db): Promise<string> => {
  const { rows } = await sql<{ zone: string }>`select ${homeZoneSql} as zone`.execute(db)
  return (rows[0] as { zone: string }).zone
}

/** The current date in the laboratory, for file names: at 23:30 in New York it is not tomorrow yet. */
export const getHomeDay = async (db: Db, at = new Date()): Promise<string> => dayIn(await getHomeZone(db), at)
