import type { TurnaroundDays } from '@lis/contract/home.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { homeZoneSql } from '../../platform/home-zone.ts'
import { turnaroundStages } from '../report-pages/qa/turnaround.ts'
import { spentSince } from './spent-hours.ts'

const shownDays = 30
const today = sql`(now() at time zone ${homeZoneSql})::date`
const firstDay = sql`${today} - ${sql.lit(shownDays)}`

/** Measures the days before today that are not measured yet. A day that is over does not change. */
export const fillTurnaroundDays = async (db: Db) => {
  const { rows } = await sql<{ day: string }>`
    select d.day::date::text as day from generate_series(${firstDay}, ${today} - 1, interval '1 day') d(day)
    where not exists (select from turnaround_day t where t.day = d.day::date) order by 1`.execute(db)
  for (const { day } of rows) await measureDay(db, day)
}

const stages = sql.join(
  turnaroundStages.map(([, code, , target]) => sql`(${sql.lit(code)}, ${sql.lit(target)}::numeric)`),
)

/** As `readTurnaround` measures today; a stage that nothing left has a row too, so that the day counts as measured. */
const measureDay = (db: Db, day: string) => {
  const midnight = (days: number) => sql`((${day}::date + ${sql.lit(days)})::timestamp at time zone ${homeZoneSql})`
  return sql`
    insert into turnaround_day (day, stage_code, count, within_target, p50_hours, p90_hours)
    with ${spentSince(midnight(0), midnight(1))}
    select ${day}::date, s.code, count(x.hours), count(*) filter (where coalesce(x.is_in_time, x.hours <= s.target)),
      percentile_cont(0.5) within group (order by x.hours), percentile_disc(0.9) within group (order by x.hours)
    from (select v.code, coalesce((select (value ->> v.code)::numeric from setting where key = 'reports.tatTargets'), v.target) as target
        from (values ${stages}) v(code, target)) s
      left join (select code, greatest(hours, 0) as hours, is_in_time from spent where hours is not null) x on x.code = s.code
    group by s.code, s.target
    on conflict do nothing`.execute(db)
}

/** The last thirty days; today is in `readTurnaround`. Days from before the laboratory began are left out. */
export const readTurnaroundDays = async (db: Db): Promise<TurnaroundDays> => {
  const { rows } = await sql<{ day: string; released: number; within: number; p90Hours: Record<string, number> }>`
    select day::text, (max(count) filter (where stage_code = 'TOTAL')) as released, (max(within_target) filter (where stage_code = 'TOTAL')) as within,
      coalesce(json_object_agg(stage_code, p90_hours::float8) filter (where p90_hours is not null), '{}') as "p90Hours"
    from turnaround_day where day >= ${firstDay} and day < ${today} group by day order by day`.execute(db)
  const began = rows.findIndex(({ p90Hours }) => Object.keys(p90Hours).length > 0)
  const days = began < 0 ? [] : rows.slice(began)
  const sumOf = (name: 'released' | 'within') => days.reduce((sum, row) => sum + row[name], 0)
  return {
    shareWithinTarget: shareOf(sumOf('within'), sumOf('released')),
    days: days.map(({ day, released, within, p90Hours }) => ({
      day,
      shareWithinTarget: shareOf(within, released),
      p90Hours,
    })),
  }
}

/** In percent, with one decimal. */
const shareOf = (part: number, all: number) => (all === 0 ? null : Math.round((1000 * part) / all) / 10)
