import { sql } from 'kysely'
import { columnsOf, isInPeriod, percent, type ReportDefinition, scopedRows } from '../definition.ts'

/** QACRIT. A call that another one has replaced does not count; an open one counts as late after its limit. */
export const criticalCalls: ReportDefinition = {
  code: 'QACRIT',
  access: ['critical.call'],
  columns: columnsOf(
    ['labName', 'Laboratory'],
    ['testCode', 'Test'],
    ['callCount', 'Calls', 'integer'],
    ['withinCount', 'Within the Limit', 'integer'],
    ['lateCount', 'Late', 'integer'],
    ['openCount', 'Open', 'integer'],
    ['withinPercent', 'Within the Limit %', 'decimal1'],
    ['medianMinutes', 'Median Minutes', 'decimal1'],
  ),
  chart: { label: ['testCode', 'labName'], bars: ['withinCount', 'lateCount'], isStacked: true, unit: 'Calls' },
  query: (call) => sql`with ${scopedRows(call)},
    facts as (select req.lab_name as lab, t.code as test, c.closed_at is null as is_open, coalesce(c.closed_at <= c.due_at, false) as is_within,
        coalesce(c.closed_at, now()) > c.due_at as is_late, extract(epoch from c.closed_at - c.raised_at) / 60 as minutes
      from critical_call c join req on req.requisition_id = c.requisition_id join test t on t.id = c.test_id
      where c.state <> 'SUPERSEDED' and ${isInPeriod(sql`c.raised_at`, call)})
    select case grouping(lab, test) when 0 then 'row' when 1 then 'subtotal' else 'total' end as "rowKind",
      case when grouping(lab) = 1 then 'All laboratories' else lab end as "labName", case when grouping(test) = 1 then 'Total' else test end as "testCode",
      count(*) as "callCount", count(*) filter (where is_within) as "withinCount", count(*) filter (where is_late) as "lateCount",
      count(*) filter (where is_open) as "openCount", ${percent(sql`count(*) filter (where is_within)`, sql`count(*) filter (where is_within or is_late)`)} as "withinPercent",
      round((percentile_cont(0.5) within group (order by minutes))::numeric, 1) as "medianMinutes"
    from facts group by grouping sets ((lab, test), (lab), ()) order by grouping(lab), lab, grouping(test), test`,
}
