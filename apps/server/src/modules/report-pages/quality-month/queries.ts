import { sql } from 'kysely'
import type { Db } from '../../../platform/db/db.ts'

export interface MonthPoint {
  /** 0 at the beginning of the month, 1 at its end. */
  place: number
  z: number | null
  state: 'IN' | 'WARNING' | 'REJECTED' | 'NOT_EVALUATED'
  lotNumber: string
}

export interface MonthStatistics {
  level: number
  lotNumber: string
  /** Mean and SD in force, several where they have changed; null without any. */
  target: string | null
  n: number
  mean: string
  sd: string | null
  cv: string | null
  biasPct: string | null
  rejected: number
}

export interface MonthOfTest {
  testCode: string
  unit: string | null
  levels: { level: number; points: MonthPoint[] }[]
  statistics: MonthStatistics[]
  /** Rejected runs, as text. */
  rejected: { at: string; rules: string }[]
  actions: { at: string; place: number; cause: string; action: string; by: string }[]
  voided: { at: string; reason: string }[]
}

export interface QualityMonth {
  instrumentName: string
  serialNumber: string | null
  labName: string
  labZone: string
  director: string | null
  month: string
  days: number
  tests: MonthOfTest[]
}

/** All control data of an instrument in a month of its laboratory's time zone; undefined if there is no such instrument. */
export const readQualityMonth = async (
  db: Db,
  { instrumentId, testCode, month }: { instrumentId: number; testCode: string | null; month: string },
): Promise<QualityMonth | undefined> => {
  const { rows } = await sql<QualityMonth>`
    with span as (select i.id, i.name, i.serial_number, lab.name as lab, lab.zone, lab.director_name,
        (${`${month}-01`}::date)::timestamp at time zone lab.zone as starts, (${`${month}-01`}::date + interval '1 month') at time zone lab.zone as ends
      from instrument i join lab on lab.id = i.lab_id where i.id = ${instrumentId}::bigint and i.deleted_at is null),
    run as (select q.*, t.code, t.unit, t.sort_order from span join qc_run q on q.instrument_id = span.id and q.ran_at >= span.starts and q.ran_at < span.ends
      join test t on t.id = q.test_id and (${testCode}::text is null or t.code = ${testCode}::text)),
    measured as (select v.*, l.lot_number from run join qc_value v on v.run_id = run.id and not v.is_void join qc_lot l on l.id = v.lot_id)
    select span.name as "instrumentName", span.serial_number as "serialNumber", span.lab as "labName", span.zone as "labZone", span.director_name as director,
      ${month} as month, extract(day from ${`${month}-01`}::date + interval '1 month' - interval '1 day')::int as days, coalesce((select json_agg(x order by x.sort_order, x."testCode") from (
        select r.code as "testCode", r.unit, r.sort_order,
          (select coalesce(json_agg(y order by y.level), '[]') from (select m.level, json_agg(json_build_object(
              'place', extract(epoch from m.ran_at - span.starts) / extract(epoch from span.ends - span.starts), 'z', m.z, 'state', m.state,
              'lotNumber', m.lot_number) order by m.ran_at, m.run_id) as points
            from measured m where m.test_id = r.test_id group by m.level) y) as levels,
          (select coalesce(json_agg(y order by y.level, y."lotNumber"), '[]') from (select m.level, m.lot_number as "lotNumber", count(*)::int as n,
              string_agg(distinct trim_scale(m.mean)::text || ' ± ' || trim_scale(m.sd)::text, '; ') as target, round(avg(m.value), 4)::text as mean, round(stddev_samp(m.value), 4)::text as sd, round(100 * stddev_samp(m.value) / nullif(abs(avg(m.value)), 0), 2)::text as cv,
              round(100 * avg(m.value - m.mean) / nullif(avg(m.mean), 0), 2)::text as "biasPct", count(*) filter (where m.state = 'REJECTED')::int as rejected
            from measured m where m.test_id = r.test_id group by m.level, m.lot_number) y) as statistics,
          (select coalesce(json_agg(json_build_object('at', q.ran_at, 'rules', (select string_agg(b ->> 'rule', ', ') from jsonb_array_elements(q.broken) b
              where b ->> 'action' = 'REJECT')) order by q.ran_at), '[]')
            from run q where q.test_id = r.test_id and q.state = 'REJECTED' and not q.is_void) as rejected,
          (select coalesce(json_agg(json_build_object('at', a.done_at, 'place', extract(epoch from a.done_at - span.starts) / extract(epoch from span.ends - span.starts),
              'cause', a.cause, 'action', a.action, 'by', a.recorded_by_name) order by a.done_at), '[]')
            from qc_action a where a.instrument_id = span.id and a.test_id = r.test_id and a.done_at >= span.starts and a.done_at < span.ends) as actions,
          (select coalesce(json_agg(json_build_object('at', q.ran_at, 'reason', q.void_reason) order by q.ran_at), '[]')
            from run q where q.test_id = r.test_id and q.is_void) as voided
        from (select distinct run.test_id, run.code, run.unit, run.sort_order from run) r) x), '[]') as tests
    from span`.execute(db)
  return rows[0]
}
