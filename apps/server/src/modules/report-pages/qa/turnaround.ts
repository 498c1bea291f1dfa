import { sql } from 'kysely'
import { columnsOf, hoursBetween, isIn, percent, type ReportDefinition, scopedRows } from '../definition.ts'

/** Place in the row order, what is left, its name, and the target in hours; `setting` 'reports.tatTargets' may say other hours by code. */
const stages = [
  [1, 'RECEIPT', 'Receipt to Accessioned', 24],
  [2, 'ACC', 'Accessioned', 24],
  [3, 'PROCESS', 'Processing', 48],
  [4, 'RESULT', 'Resulted', 24],
  [5, 'REPORT', 'Reported', 24],
  [6, 'RELEASE', 'Released', 24],
  [7, 'TOTAL', 'Total', 120],
] as const

const stageRows = sql.join(
  stages.map(([place, code, name, hours]) => sql`(${place}::int, ${code}::text, ${name}::text, ${hours}::numeric)`),
)

/** QATAT. Each stage's first pass: from the first entry to the first leaving forward. A stage that was skipped was never entered. */
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
  chart: { label: ['stage', 'labName'], bars: ['medianHours', 'p90Hours'], isStacked: false },
  query: (call) => sql`with ${scopedRows(call)},
    touched as (select distinct e.requisition_id from requisition_status_event e where e.at >= ${call.from}::date - 1 and e.at < ${call.to}::date + 2),
    pass as (select e.requisition_id, s.code, min(e.at) filter (where e.to_code = s.code) as entered,
        min(e.at) filter (where e.from_code = s.code and t.sort_order > s.sort_order) as left_at
      from touched join requisition_status_event e on e.requisition_id = touched.requisition_id
      join requisition_status_type t on t.code = e.to_code
      join requisition_status_type s on s.code in (e.to_code, e.from_code) and s.code in ('ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE')
      group by 1, 2),
    spent as (
      select req.lab_name, p.code as stage, greatest(${hoursBetween(sql`p.entered`, sql`p.left_at`)}, 0) as hours
        from req join pass p on p.requisition_id = req.requisition_id where p.left_at >= p.entered and ${isIn(sql`p.left_at`, call)}
      union all
      select req.lab_name, v.stage, greatest(case v.stage when 'TOTAL' then floor(${hoursBetween(sql`req.received_at`, sql`p.entered`)}) else ${hoursBetween(sql`req.received_at`, sql`p.entered`)} end, 0)
        from req join pass p on p.requisition_id = req.requisition_id join (values ('ACC', 'RECEIPT'), ('RELEASE', 'TOTAL')) v(code, stage) on v.code = p.code
        where req.received_at is not null and ${isIn(sql`p.entered`, call)}),
    stages as materialized (select place, code, name, coalesce((select (value ->> v.code)::numeric from setting where key = 'reports.tatTargets'), hours) as target
      from (values ${stageRows}) v(place, code, name, hours))
    select case when s.code = 'TOTAL' then 'subtotal' else 'row' end as "rowKind", x.lab_name as "labName", s.name as stage, count(*) as "reqCount",
      round(percentile_cont(0.5) within group (order by x.hours)::numeric, 1) as "medianHours", round((percentile_disc(0.9) within group (order by x.hours))::numeric, 1) as "p90Hours",
      round(max(x.hours)::numeric, 1) as "maxHours", count(*) filter (where x.hours > s.target) as "overTargetCount",
      ${percent(sql`count(*) filter (where x.hours > s.target)`, sql`count(*)`)} as "overTargetPercent"
    from spent x join stages s on s.code = x.stage group by x.lab_name, s.place, s.code, s.name order by x.lab_name, s.place`,
}
