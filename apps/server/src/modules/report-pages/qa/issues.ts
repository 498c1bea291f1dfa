import { sql } from 'kysely'
import { isIssueVisibleTo } from '../../issues/queries.ts'
import { columnsOf, hoursBetween, isInPeriod, type ReportDefinition, scopedRows } from '../definition.ts'

/** QAISSUE. Open means not closed at the end of the period (or now, while it lasts); RESOLVED is still open. */
export const issues: ReportDefinition = {
  code: 'QAISSUE',
  columns: columnsOf(
    ['resolverDeptName', 'Department'],
    ['issueCode', 'Issue Type'],
    ['openedCount', 'Opened', 'integer'],
    ['closedCount', 'Closed', 'integer'],
    ['openCount', 'Open', 'integer'],
    ['age0to1', 'Open under 1 Day', 'integer'],
    ['age1to3', 'Open 1 to 3 Days', 'integer'],
    ['age3to7', 'Open 3 to 7 Days', 'integer'],
    ['ageOver7', 'Open 7 Days and More', 'integer'],
    ['medianHoursToClose', 'Median Hours to Close', 'decimal1'],
  ),
  chart: {
    label: ['issueCode', 'resolverDeptName'],
    bars: ['age0to1', 'age1to3', 'age3to7', 'ageOver7'],
    isStacked: true,
    unit: 'Issues',
  },
  query: (call) => sql`with ${scopedRows(call)},
    facts as (select d.name as dept, t.code as type, ${isInPeriod(sql`i.created_at`, call)} as opened, coalesce(${isInPeriod(sql`i.closed_at`, call)}, false) as closed,
        i.created_at < least(ends, now()) and (i.closed_at is null or i.closed_at >= ends) as is_open, ${hoursBetween(sql`i.created_at`, sql`least(ends, now())`)} as age,
        ${hoursBetween(sql`i.created_at`, sql`i.closed_at`)} as to_close
      from issue i join req on req.requisition_id = i.requisition_id join department d on d.id = i.resolver_department_id left join issue_type t on t.id = i.issue_type_id
      where i.deleted_at is null and ${isIssueVisibleTo(call.actor.role)} and i.created_at < ends and (i.closed_at is null or i.closed_at >= starts)),
    shown as (select * from facts where opened or closed or is_open)
    select case grouping(dept, type) when 0 then 'row' when 1 then 'subtotal' else 'total' end as "rowKind", case when grouping(dept) = 1 then 'All departments' else dept end as "resolverDeptName",
      case when grouping(type) = 1 then 'Total' else type end as "issueCode", count(*) filter (where opened) as "openedCount", count(*) filter (where closed) as "closedCount",
      count(*) filter (where is_open) as "openCount", count(*) filter (where is_open and age < 24) as "age0to1", count(*) filter (where is_open and age >= 24 and age < 72) as "age1to3",
      count(*) filter (where is_open and age >= 72 and age < 168) as "age3to7", count(*) filter (where is_open and age >= 168) as "ageOver7",
      round((percentile_cont(0.5) within group (order by to_close) filter (where closed))::numeric, 1) as "medianHoursToClose"
    from shown group by grouping sets ((dept, type), (dept), ()) order by grouping(dept), dept, grouping(type), type nulls last`,
}
