import { sql } from 'kysely'
import type { Sql } from '../../../platform/lists.ts'
import {
  columnsOf,
  isInPeriod,
  isNearPeriod,
  isResulted,
  percent,
  type ReportDefinition,
  scopedRows,
} from '../definition.ts'

/** Commas are followed by a blank, except in older entries about the codes of a whole requisition. */
const codesIn = (data: Sql, key: Sql): Sql => sql`regexp_split_to_array(${data} ->> ${key}, ',\\s*')`

/** When the code was last added according to the history: it is in the new list of codes and not in the old one. */
const codeSetAt = (
  requisitionId: Sql,
  action: Sql,
  key: Sql,
  code: Sql,
): Sql => sql`(select max(a.at) from audit_entry a
  where a.requisition_id = ${requisitionId} and a.action = ${action} and ${code} = any(${codesIn(sql`a.new_data`, key)})
    and not coalesce(${code} = any(${codesIn(sql`a.old_data`, key)}), false))`

/** QAFAIL. Data without a history (a load, the demo) has the time when the test was last changed. */
export const failedTests: ReportDefinition = {
  code: 'QAFAIL',
  columns: columnsOf(
    ['failCode', 'Fail Code'],
    ['failDesc', 'Reason'],
    ['clientName', 'Client'],
    ['testCode', 'Test'],
    ['failCount', 'Failed', 'integer'],
    ['testCount', 'Tests', 'integer'],
    ['failPercent', 'Failed %', 'decimal1'],
    ['retestedCount', 'Later Resulted', 'integer'],
  ),
  chart: { label: ['failDesc'], bars: ['failCount'], isStacked: false, unit: 'Tests' },
  query: (call) => sql`with ${scopedRows(call)},
    failed as materialized (
      select re.code, re.description, req.client_id, t.code as test_code, rt.test_id, 't' || rt.id as item,
          rt.is_retest and exists (select from requisition_test n where n.requisition_id = rt.requisition_id and n.test_id = rt.test_id and not n.is_retest
            and n.deleted_at is null and ${isResulted(sql`n`)}) as is_resulted,
          coalesce(${codeSetAt(sql`rt.requisition_id`, sql`'TEST'`, sql`(t.code || ' failCodes')`, sql`re.code`)}, rt.process_date, rt.created_at) as at, req.starts, req.ends
        from requisition_test_reason x join reason re on re.id = x.reason_id and re.type_code = 'FAIL'
        join requisition_test rt on rt.id = x.requisition_test_id and rt.deleted_at is null join test t on t.id = rt.test_id and not t.is_calculated
        join req on req.requisition_id = rt.requisition_id
      union all
      select re.code, re.description, req.client_id, null, null, 'r' || req.requisition_id, false,
          coalesce(${codeSetAt(sql`req.requisition_id`, sql`'FAIL'`, sql`'failCodes'`, sql`re.code`)}, req.logged_at), req.starts, req.ends
        from requisition_reason x join reason re on re.id = x.reason_id join req on req.requisition_id = x.requisition_id
        where x.reason_id = any(array(select id from reason where type_code = 'FAIL'))),
    shown as (select * from failed where ${isInPeriod(sql`at`, call)}),
    accessioned as (select req.requisition_id, req.client_id from req
      join (select distinct requisition_id from requisition_status_event where to_code = 'ACC' and ${isNearPeriod(sql`at`, call)}) hit on hit.requisition_id = req.requisition_id
      cross join lateral (select min(at) as at from requisition_status_event e where e.requisition_id = req.requisition_id and e.to_code = 'ACC') f where ${isInPeriod(sql`f.at`, call)}),
    pairs as (select distinct client_id, test_id from shown),
    base as (select p.client_id, p.test_id, case when p.test_id is null then (select count(*) from accessioned a where a.client_id = p.client_id)
        else coalesce(n.tests, 0) end as tests
      from pairs p left join (select a.client_id, rt.test_id, count(*) as tests from accessioned a join requisition_test rt on rt.requisition_id = a.requisition_id
          and rt.deleted_at is null and not rt.is_retest group by 1, 2) n on n.client_id = p.client_id and n.test_id = p.test_id),
    counted as (select code, max(description) as description, client_id, max(test_code) as test_code, test_id, count(*) as fails, count(*) filter (where is_resulted) as resulted
      from shown group by code, client_id, test_id),
    rows as (select c.*, b.tests from counted c join base b on b.client_id = c.client_id and b.test_id is not distinct from c.test_id),
    report_row as (
      select 0 as level, 'row' as kind, r.code, r.description, c.name as client, r.test_code, r.fails, r.tests, r.resulted from rows r join client c on c.id = r.client_id
      union all select 1, 'subtotal', code, max(description), 'Total', null, sum(fails), sum(tests), sum(resulted) from rows group by code
      union all select 2, 'total', null, 'All reasons', null, null, (select count(distinct item) from shown), coalesce((select sum(tests) from base), 0),
        (select count(distinct item) filter (where is_resulted) from shown))
    select kind as "rowKind", code as "failCode", description as "failDesc", client as "clientName", test_code as "testCode", fails::int as "failCount", tests::int as "testCount",
      ${percent(sql`fails`, sql`tests`)} as "failPercent", resulted::int as "retestedCount"
    from report_row order by level = 2, code, level, client, test_code nulls first`,
}
