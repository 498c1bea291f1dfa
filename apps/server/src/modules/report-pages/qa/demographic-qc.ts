import { sql } from 'kysely'
import { columnsOf, isInPeriod, localTime, type ReportDefinition, scopedRows, wholeHours } from '../definition.ts'

/** QADEMQC. One row per requisition that a person failed in the period: its first failure, and the last pass if it is still valid. */
export const demographicQc: ReportDefinition = {
  code: 'QADEMQC',
  columns: columnsOf(
    ['reqId', 'Req ID', 'integer'],
    ['clientName', 'Client'],
    ['failedDate', 'Failed', 'datetime'],
    ['passedDate', 'Passed', 'datetime'],
    ['hoursToFix', 'Hours to Fix', 'integer'],
    ['failedBy', 'Failed By'],
    ['reqStatusDesc', 'Status'],
  ),
  chart: { label: ['clientName'], bars: [], isStacked: false, unit: 'Requisitions' },
  query: (call) => sql`with ${scopedRows(call)},
    hit as (select distinct req.requisition_id, req.client_id, req.status_code, req.is_dem_qc_pass, req.lab_zone from audit_entry a join req on req.requisition_id = a.requisition_id
      where a.action = 'DEMQC' and a.new_data ->> 'isDemQcPass' = '0' and a.actor_id is not null and ${isInPeriod(sql`a.at`, call)}),
    failed as (select h.*, f.at as failed_at, f.actor_name, case when h.is_dem_qc_pass then p.at end as passed_at from hit h
      cross join lateral (select a.at, a.actor_name from audit_entry a where a.requisition_id = h.requisition_id and a.action = 'DEMQC' and a.new_data ->> 'isDemQcPass' = '0'
        and a.actor_id is not null order by a.id limit 1) f
      left join lateral (select a.at from audit_entry a where a.requisition_id = h.requisition_id and a.action = 'DEMQC' and a.new_data ->> 'isDemQcPass' = '1'
        order by a.id desc limit 1) p on true),
    reported as (select req.client_id, count(distinct e.requisition_id) as n from requisition_status_event e join req on req.requisition_id = e.requisition_id
      where e.to_code = 'REPORT' and ${isInPeriod(sql`e.at`, call)} group by 1),
    report_row as (
      select 0 as level, 'row' as kind, f.requisition_id, c.name as client, f.failed_at, ${localTime(sql`f.failed_at`)} as failed_date, ${localTime(sql`f.passed_at`)} as passed_date,
          ${wholeHours(sql`f.failed_at`, sql`f.passed_at`)} as hours, f.actor_name, st.description as status, f.passed_at
        from failed f join client c on c.id = f.client_id join requisition_status_type st on st.code = f.status_code
      union all
      select 1, 'subtotal', null, c.name, null, null, null, null, 'Total', count(*) || ' failed, ' || count(*) filter (where f.passed_at is null) || ' open'
          || coalesce(', ' || round(100.0 * count(*) / nullif(r.n, 0), 1) || ' % of ' || r.n || ' reported', ''), null
        from failed f join client c on c.id = f.client_id left join reported r on r.client_id = f.client_id group by c.id, c.name, r.n
      union all
      select 2, 'total', null, 'All clients', null, null, null, null, 'Total', count(*) || ' failed, ' || count(*) filter (where passed_at is null) || ' open', null from failed)
    select kind as "rowKind", requisition_id as "reqId", client as "clientName", failed_date as "failedDate", passed_date as "passedDate",
      case when passed_at is not null then hours end as "hoursToFix", actor_name as "failedBy", status as "reqStatusDesc"
    from report_row order by level = 2, client, level, failed_at, requisition_id`,
}
