import type { ReceivedHour, StatusFlow, TurnaroundToday } from '@lis/contract/home.ts'
import { requisitionStatuses } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { homeZoneSql } from '../../platform/home-zone.ts'
import type { Sql } from '../../platform/lists.ts'
import { turnaroundStages } from '../report-pages/qa/turnaround.ts'
import { countedByStatus } from '../requisition-list/counts.ts'
import { spentSince } from './spent-hours.ts'

/** The laboratory of a wall board; null for all laboratories. */
export type LabId = number | null

const isIn = (column: Sql, labId: LabId): Sql => (labId === null ? sql`true` : sql`${column} = ${labId}`)
const zoneOf = (labId: LabId): Sql =>
  labId === null ? homeZoneSql : sql`coalesce((select zone from lab where id = ${labId}), ${homeZoneSql})`
/** Midnight before an instant, `days` earlier. */
const midnight = (labId: LabId, days = 0): Sql =>
  sql`((date_trunc('day', now() at time zone ${zoneOf(labId)}) - make_interval(days => ${days})) at time zone ${zoneOf(labId)})`

const openStatuses = requisitionStatuses.filter(({ group }) => group === 'LAB')

const isOpen = sql`r.deleted_at is null and r.status_code in (${sql.join(openStatuses.map(({ code }) => sql.lit(code)))})`

/** The requisitions of each status; those of all laboratories come from counters. */
const countsOf = (labId: LabId): Sql =>
  labId === null
    ? countedByStatus()
    : sql`(select r.status_code, count(*)::int as n from requisition r where ${isOpen} and r.lab_id = ${labId} group by 1)`

/**
 * Requisitions in the laboratory, by status and age. Only those of the last four days are read, and the oldest of each
 * status, by the partial index whose statuses are literals.
 */
export const readFlow = async (db: Db, labId: LabId = null): Promise<StatusFlow[]> => {
  const { rows } = await sql<{ status: string; count: number; oldest: string | null; ages: StatusFlow['ages'] }>`
    select c.status_code as status, c.n as count, o.oldest, json_build_object('under1Day', coalesce(y.day, 0), 'from1To2Days', coalesce(y.two - y.day, 0),
        'from2To4Days', coalesce(y.four - y.two, 0), 'over4Days', c.n - coalesce(y.four, 0)) as ages
    from ${countsOf(labId)} c
    left join (select r.status_code, count(*)::int as four, (count(*) filter (where r.status_at > now() - interval '2 days'))::int as two,
        (count(*) filter (where r.status_at > now() - interval '1 day'))::int as day
      from requisition r where ${isOpen} and ${isIn(sql`r.lab_id`, labId)} and r.status_at > now() - interval '4 days' group by 1) y on y.status_code = c.status_code
    cross join lateral (select (select r.status_at from requisition r where ${isOpen} and r.status_code = c.status_code and ${isIn(sql`r.lab_id`, labId)}
      order by r.status_at limit 1) as oldest) o`.execute(db)
  const byStatus = new Map(rows.map((row) => [row.status, row]))
  return openStatuses.map(({ code, description }) => {
    const found = byStatus.get(code)
    return {
      reqStatusCode: code,
      reqStatusDesc: description,
      count: found?.count ?? 0,
      oldestDate: found?.oldest ? new Date(found.oldest).toISOString() : null,
      ages: found?.ages ?? { under1Day: 0, from1To2Days: 0, from2To4Days: 0, over4Days: 0 },
    }
  })
}

/** The number of weeks for the usual figure of a weekday. */
const usualWeeks = 4

/** Requisitions by the hour of their first received specimen: today, and the mean of the same weekday. */
export const readHours = async (db: Db, labId: LabId = null): Promise<ReceivedHour[]> => {
  const dayOf = (weeks: number) =>
    sql`(l.received_at >= ${midnight(labId, 7 * weeks)} and l.received_at < ${midnight(labId, 7 * weeks - 1)})`
  const weeks = Array.from({ length: usualWeeks }, (_, week) => dayOf(week + 1))
  const counted = (day: Sql, isToday: boolean) =>
    sql`select ${sql.lit(isToday)} as today, extract(hour from l.received_at at time zone ${zoneOf(labId)})::int as hour
      from requisition_list l where ${day} and ${isIn(sql`l.lab_id`, labId)}`
  const { rows } = await sql<{ hour: number; count: number; earlier: number }>`
    select hour, (count(*) filter (where today))::int as count, (count(*) filter (where not today))::int as earlier
    from (${sql.join([counted(dayOf(0), true), ...weeks.map((day) => counted(day, false))], sql` union all `)}) received group by 1`.execute(
    db,
  )
  const byHour = new Map(rows.map((row) => [row.hour, row]))
  return Array.from({ length: 24 }, (_, hour) => ({
    hour,
    count: byHour.get(hour)?.count ?? 0,
    usual: Math.round(((byHour.get(hour)?.earlier ?? 0) / usualWeeks) * 10) / 10,
  }))
}

/**
 * The stages that requisitions left today, with the targets of the TAT report. RECEIPT ends when the requisition is accessioned, TOTAL when
 * it is released; both begin with the first received specimen. A requisition with a due date is within the target until then.
 */
export const readTurnaround = async (db: Db, labId: LabId = null): Promise<TurnaroundToday> => {
  const stages = sql.join(
    turnaroundStages.map(([place, code, , target]) => sql`(${place}::int, ${code}::text, ${target}::numeric)`),
  )
  const { rows } = await sql<StageRow>`
    with ${spentSince(midnight(labId))}
    select s.code, coalesce((select (value ->> s.code)::numeric from setting where key = 'reports.tatTargets'), s.target)::float8 as target, x.*
    from (values ${stages}) s(place, code, target)
    cross join lateral (select count(*)::int as count, (percentile_cont(0.5) within group (order by greatest(hours, 0)))::float8 as p50,
        (percentile_disc(0.9) within group (order by greatest(hours, 0)))::float8 as p90,
        (count(*) filter (where coalesce(is_in_time, hours <= coalesce((select (value ->> s.code)::numeric from setting where key = 'reports.tatTargets'), s.target))))::int as within
      from spent where spent.code = s.code and hours is not null ${labId === null ? sql`` : sql`and exists (select from requisition r where r.id = spent.requisition_id and r.lab_id = ${labId})`}) x
    order by s.place`.execute(db)
  const total = rows.find(({ code }) => code === 'TOTAL')
  return {
    released: total?.count ?? 0,
    withinTarget: total?.within ?? 0,
    shareWithinTarget: total && total.count > 0 ? Math.round((1000 * total.within) / total.count) / 10 : null,
    stages: rows.map(({ code, count, p50, p90, target }) => ({
      reqStatusCode: code,
      reqStatusDesc: stageNames.get(code) ?? code,
      count,
      p50Hours: inTenths(p50),
      p90Hours: inTenths(p90),
      targetHours: target,
    })),
  }
}

interface StageRow {
  code: string
  target: number
  count: number
  p50: number | null
  p90: number | null
  within: number
}

const stageNames = new Map<string, string>(turnaroundStages.map(([, code, name]) => [code, name]))
const inTenths = (hours: number | null) => (hours === null ? null : Math.round(hours * 10) / 10)
