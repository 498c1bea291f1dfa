import type { RowsLink, SalesClient } from '@lis/contract/home-practice.ts'
import { formatDateRange, usDate } from '@lis/contract/kit/date-range.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import { invalid } from '../../platform/errors.ts'
import { homeZoneSql } from '../../platform/home-zone.ts'
import { isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { callOf } from './queue.ts'

/**
 * Silent: no order for twice the usual interval. A client with one order in 90 days has no interval; after 90 days without an order it counts
 * as silent too.
 */
const isSilent = sql`(o.last_at is not null and now() - o.last_at > case
  when o.quarter >= 2 then greatest(2 * interval '90 days' / o.quarter, interval '1 day') when o.quarter = 1 then interval '180 days' else interval '90 days' end)`

interface Days {
  /** How many days before today. */
  from: number
  to: number
}

/** The last thirty days, today included, and the thirty before. */
const recent: Days = { from: 29, to: 0 }
const earlier: Days = { from: 59, to: 30 }

const today = sql`(now() at time zone ${homeZoneSql})::date`

/** As the filter 'Date Logged' of the requisition list has it, so that the list behind the number is as long. */
const isLoggedOn = ({ from, to }: Days): Sql =>
  sql`(l.logged_at at time zone (select zone from lab where id = l.lab_id))::date between ${today} - ${sql.lit(from)} and ${today} - ${sql.lit(to)}`

/** Midnight of a day in the first and in the last zone of a laboratory. */
const midnightIn = (day: Sql) =>
  sql`min(${day}::timestamp at time zone zone) as first, max(${day}::timestamp at time zone zone) as last from lab`
const isBetween = (start: string, end: string): Sql =>
  sql`l.logged_at >= ${sql.ref(start)} and l.logged_at < ${sql.ref(end)}`

/**
 * The clients of a sales person, with their orders; a new client without any is not silent. The zone of the laboratory is looked up only for
 * orders near midnight (`e`), where it decides; all others are counted from an index (`o`).
 */
export const salesClientList = ({ scope }: Actor): ListDefinition => ({
  from: sql`client c
    cross join (select ${midnightIn(sql`(${today} - ${sql.lit(earlier.from)})`)}) a
    cross join (select ${midnightIn(sql`(${today} - ${sql.lit(recent.from)})`)}) b
    cross join (select ${midnightIn(sql`(${today} + 1)`)}) z
    cross join lateral (
      select (count(*) filter (where ${isBetween('b.last', 'z.first')}))::int as recent,
        (count(*) filter (where ${isBetween('a.last', 'b.first')}))::int as earlier,
        count(*)::int as quarter,
        coalesce(max(l.logged_at), (select max(e.logged_at) from requisition_list e where e.client_id = c.id)) as last_at
      from requisition_list l where l.client_id = c.id and l.logged_at > now() - interval '90 days') o
    cross join lateral (
      select (count(*) filter (where ${isLoggedOn(recent)}))::int as recent, (count(*) filter (where ${isLoggedOn(earlier)}))::int as earlier
      from requisition_list l where l.client_id = c.id
        and ((${isBetween('a.first', 'a.last')}) or (${isBetween('b.first', 'b.last')}) or (${isBetween('z.first', 'z.last')}))) e`,
  where: [sql`c.deleted_at is null`, sql`c.id = any(${[...scope.ids]}::int[])`],
  fields: {
    clientId: sql`c.id`,
    clientName: sql`c.name`,
    volume30: sql`o.recent + e.recent`,
    volumeBefore: sql`o.earlier + e.earlier`,
    lastOrderDate: sql`o.last_at`,
    isSilent: sql`case when ${isSilent} then 1 else 0 end`,
    today: sql`${today}`,
  },
  sort: { clientName: sql`lower(c.name)` },
  filter: {
    clientId: isOneOfIds(sql`c.id`, 'clientId'),
    isSilent: (value) => {
      if (value === '1') return isSilent
      if (value === '0') return sql`not ${isSilent}`
      throw invalid('isSilent', 'isSilent must be 0 or 1')
    },
  },
  defaultOrder: sql`o.recent + e.recent - o.earlier - e.earlier, lower(c.name)`,
  key: sql`c.id`,
  finish: (row) => withLinks(row as unknown as ClientRow) as unknown as Record<string, unknown>,
})

type ClientRow = Omit<SalesClient, 'recent' | 'earlier'> & { today: string }

const withLinks = ({ today, ...client }: ClientRow): SalesClient => {
  const ordersOf = (days: Days) => {
    const range = { from: dayBefore(today, days.from), to: dayBefore(today, days.to) }
    return requisitionsBy([
      { id: 'clientId', value: String(client.clientId), viewValue: client.clientName },
      { id: 'dateLogged', value: formatDateRange(range), viewValue: `${usDate(range.from)}-${usDate(range.to)}` },
    ])
  }
  return { ...client, recent: ordersOf(recent), earlier: ordersOf(earlier) }
}

const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10)

/** Page and call of the list of all requisitions with these filters. */
const requisitionsBy = (filters: { id: string; value: string; viewValue: string }[]): RowsLink => ({
  link: `/requisitions?${new URLSearchParams({ status: 'All', smartFilter: JSON.stringify(filters) })}`,
  call: callOf('requisitions/ALL', Object.fromEntries(filters.map(({ id, value }) => [id, value]))),
})
