import { sql } from 'kysely'
import { columnsOf, isInPeriod, type ReportDefinition, scopedRows } from '../definition.ts'

const ages = (start: ReturnType<typeof sql>) => sql`
  count(*) filter (where ${start} > now() - interval '24 hours') as "age0to1",
  count(*) filter (where ${start} <= now() - interval '24 hours' and ${start} > now() - interval '48 hours') as "age1to2",
  count(*) filter (where ${start} <= now() - interval '48 hours' and ${start} > now() - interval '120 hours') as "age2to5",
  count(*) filter (where ${start} <= now() - interval '120 hours' and ${start} > now() - interval '240 hours') as "age5to10",
  count(*) filter (where ${start} <= now() - interval '240 hours') as "ageOver10"`

/** QAPEND. What is not delivered yet, by how long it has waited. */
export const pending: ReportDefinition = {
  code: 'QAPEND',
  columns: columnsOf(
    ['labName', 'Laboratory'],
    ['reqStatusDesc', 'Status'],
    ['age0to1', 'Under 1 Day', 'integer'],
    ['age1to2', '1 to 2 Days', 'integer'],
    ['age2to5', '2 to 5 Days', 'integer'],
    ['age5to10', '5 to 10 Days', 'integer'],
    ['ageOver10', '10 Days and More', 'integer'],
    ['total', 'Total', 'integer'],
    ['oldestReqId', 'Oldest Requisition', 'integer'],
  ),
  chart: {
    label: ['reqStatusDesc', 'labName'],
    bars: ['age0to1', 'age1to2', 'age2to5', 'age5to10', 'ageOver10'],
    isStacked: true,
    unit: 'Requisitions',
  },
  query: (call) => sql`with ${scopedRows(call)},
    waiting as (select lab_name, requisition_id, status_code, coalesce(received_at, logged_at) as since from req
      where status_code in ('LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE') and ${isInPeriod(sql`coalesce(received_at, logged_at)`, call)}),
    grid as (select lab_name, t.code, t.description, t.sort_order, null::bigint as requisition_id, null::timestamptz as since
        from (select distinct lab_name from waiting) x cross join requisition_status_type t where t.sort_order <= 60
      union all select w.lab_name, t.code, t.description, t.sort_order, w.requisition_id, w.since from waiting w join requisition_status_type t on t.code = w.status_code)
    select case grouping(lab_name, sort_order) when 0 then 'row' when 1 then 'subtotal' else 'total' end as "rowKind", case when grouping(lab_name) = 1 then 'All laboratories' else lab_name end as "labName",
      case when grouping(sort_order) = 1 then 'Total' else max(description) end as "reqStatusDesc", ${ages(sql`since`)}, count(requisition_id) as total,
      (array_agg(requisition_id order by least(since, now()), requisition_id) filter (where requisition_id is not null))[1] as "oldestReqId"
    from grid group by grouping sets ((lab_name, sort_order), (lab_name), ())
    order by grouping(lab_name), lab_name, grouping(sort_order), sort_order`,
}
