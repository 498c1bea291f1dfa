import { sql } from 'kysely'
import {
  columnsOf,
  hoursBetween,
  isInPeriod,
  isNearPeriod,
  percent,
  type ReportDefinition,
  scopedRows,
} from '../definition.ts'

/** Order, code, name and target in hours of each stage; the setting 'reports.tatTargets' can override the hours by code. */
export const turnaroundStages = [
  [1, 'RECEIPT', 'Receipt to Accessioned', 24],
  [2, 'ACC', 'Accessioned', 24],
  [3, 'PROCESS', 'Processing', 48],
  [4, 'RESULT', 'Resulted', 24],
  [5, 'REPORT', 'Reported', 24],
  [6, 'RELEASE', 'Released', 24],
  [7, 'TOTAL', 'Total', 120],
] as const

const stageRows = sql.join(
  turnaroundStages.map(
    ([place, code, name, hours]) => sql`(${place}::int, ${code}::text, ${name}::text, ${hours}::numeric)`,
  ),
)

const passed = ['ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE'] as const
/** One row per requisition instead of one per stage: its history is read and its list row found once. */
const passTimes = sql.join(
  passed.map(
    (code) => sql`min(e.at) filter (where e.to_code = ${sql.lit(code)}) as ${sql.ref(`in ${code}`)},
      min(e.at) filter (where e.from_code = ${sql.lit(code)} and t.sort_order > (select sort_order from requisition_status_type where code = ${sql.lit(code)})) as ${sql.ref(`out ${code}`)}`,
  ),
)
const placeOf = (code: (typeof turnaroundStages)[number][1]) =>
  sql.lit(turnaroundStages.find(([, one]) => one === code)?.[0])
const passRows = sql.join(
  passed.map((code) => sql`(${placeOf(code)}, p.${sql.ref(`in ${code}`)}, p.${sql.ref(`out ${code}`)})`),
)

/**
 * QATAT. Each stage's first pass: from the first entry to the first leaving forward. A stage that was skipped was never entered. A requisition
 * with a due date is over target after it.
 */
export const turnaround: ReportDefinition = {
  code: 'QATAT',
  columns: columnsOf(
    ['labName', 'Laboratory'],
    ['stage', 'Stage'],
    ['reqCount', 'Requisitions', 'integer'],
    ['medianHours', 'Median Hours', 'decimal1'],
    ['p90Hours', '90th Percentile Hours', 'decimal1'],
    ['maxHours', 'Longest Hours', 'decimal1'],
    ['overTargetCount', 'Over Target', 'integer'],
    ['overTargetPercent', 'Over Target %', 'decimal1'],
  ),
  chart: { label: ['stage', 'labName'], bars: ['medianHours', 'p90Hours'], isStacked: false, unit: 'Hours' },
  query: (call) => sql`with ${scopedRows(call)},
    touched as (select distinct e.requisition_id from requisition_status_event e where ${isNearPeriod(sql`e.at`, call)}),
    pass as (select touched.requisition_id, p.* from touched cross join lateral (select ${passTimes} from requisition_status_event e
      join requisition_status_type t on t.code = e.to_code where e.requisition_id = touched.requisition_id) p),
    spent as materialized (
      select req.span_lab_id, v.place, greatest(case v.place when ${placeOf('TOTAL')} then floor(${hoursBetween(sql`v.began`, sql`v.ended`)}) else ${hoursBetween(sql`v.began`, sql`v.ended`)} end, 0)::float8 as hours,
          case v.place when ${placeOf('TOTAL')} then v.ended > req.due_at end as is_late
        from req join pass p on p.requisition_id = req.requisition_id
        cross join lateral (values ${passRows}, (${placeOf('RECEIPT')}, req.received_at, p."in ACC"), (${placeOf('TOTAL')}, req.received_at, p."in RELEASE")) v(place, began, ended)
        where v.began is not null and (v.ended >= v.began or v.place in (${placeOf('RECEIPT')}, ${placeOf('TOTAL')})) and ${isInPeriod(sql`v.ended`, call)}),
    stages as materialized (select place, code, name, coalesce((select (value ->> v.code)::numeric from setting where key = 'reports.tatTargets'), hours)::float8 as target
      from (values ${stageRows}) v(place, code, name, hours)),
    summed as (
      select x.span_lab_id, x.place, count(*) as reqs, percentile_cont(0.5) within group (order by x.hours) as median, percentile_disc(0.9) within group (order by x.hours) as p90,
        max(x.hours) as longest, count(*) filter (where coalesce(x.is_late, x.hours > (select target from stages where stages.place = x.place))) as late
        from spent x group by 1, 2)
    select case when s.code = 'TOTAL' then 'subtotal' else 'row' end as "rowKind", lab_name as "labName", s.name as stage, reqs as "reqCount",
      round(median::numeric, 1) as "medianHours", round(p90::numeric, 1) as "p90Hours", round(longest::numeric, 1) as "maxHours", late as "overTargetCount",
      ${percent(sql`late`, sql`reqs`)} as "overTargetPercent"
    from summed join span using (span_lab_id) join stages s using (place) order by lab_name, span_lab_id, place`,
}
