import { sql } from 'kysely'
import { columnsOf, isFailed, isInPeriod, isResulted, type ReportDefinition, scopedRows } from '../definition.ts'

/** SUMTEST. A panel counts if its order is in the history, even if its tests were removed again. */
export const volumeByTest: ReportDefinition = {
  code: 'SUMTEST',
  columns: columnsOf(
    ['kind', 'Kind'],
    ['code', 'Code'],
    ['description', 'Description'],
    ['orderedCount', 'Ordered', 'integer'],
    ['resultedCount', 'Resulted', 'integer'],
    ['failedCount', 'Failed', 'integer'],
    ['retestCount', 'Retests', 'integer'],
    ['clientCount', 'Clients', 'integer'],
  ),
  chart: { label: ['kind', 'code'], bars: ['orderedCount'], isStacked: false, unit: 'Tests' },
  query: (call) => sql`with ${scopedRows(call)},
    ordered as (select req.requisition_id, req.client_id, rt.test_id, rt.panel_id, t.is_calculated, rt.is_retest, rt.deleted_at is not null as is_off,
        ${isResulted(sql`rt`)} as is_resulted, ${isFailed(sql`rt`)} as is_failed
      from req join requisition_test rt on rt.requisition_id = req.requisition_id join test t on t.id = rt.test_id where ${isInPeriod(sql`req.received_at`, call)}),
    by_panel as (select requisition_id, client_id, panel_id, coalesce(bool_and(is_resulted) filter (where not is_off and not is_retest), false) as is_resulted,
        coalesce(bool_or(is_failed) filter (where not is_off and not is_retest), false) as is_failed, count(*) filter (where is_retest and not is_off) as retests
      from ordered where panel_id is not null group by 1, 2, 3),
    report_row as (
      select 0 as level, 'row' as row_kind, 'Panel' as kind, p.code, p.description, count(*) as ordered, count(*) filter (where is_resulted) as resulted, count(*) filter (where is_failed) as failed,
          sum(retests) as retests, count(distinct client_id) as clients from by_panel x join panel p on p.id = x.panel_id group by p.id, p.code, p.description
      union all
      select 1, 'row', 'Test', t.code, t.description, count(*) filter (where not is_retest), count(*) filter (where not is_retest and is_resulted), count(*) filter (where not is_retest and is_failed),
          count(*) filter (where is_retest), count(distinct client_id) from ordered o join test t on t.id = o.test_id where not is_off group by t.id, t.code, t.description
      union all
      select 2, 'total', 'Test', 'Total', 'Without calculated tests', count(*) filter (where not is_retest), count(*) filter (where not is_retest and is_resulted), count(*) filter (where not is_retest and is_failed),
          count(*) filter (where is_retest), count(distinct client_id) from ordered where not is_off and not is_calculated)
    select row_kind as "rowKind", kind, code, description, ordered::int as "orderedCount", resulted::int as "resultedCount", failed::int as "failedCount", retests::int as "retestCount", clients::int as "clientCount"
    from report_row order by level, ordered desc, code`,
}
