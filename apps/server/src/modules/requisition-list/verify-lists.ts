import type { Pool } from '../../platform/db/pool.ts'

/** Compares the requisition list with the view that defines it, row by row, and the counters with a count; one sentence per fault. */
export const verifyLists = async (pool: Pool): Promise<string[]> => {
  const { rows } = await pool.query<{ requisition_id: number }>(`
    select coalesce(l.requisition_id, s.requisition_id) as requisition_id
    from requisition_list l full join requisition_list_source s on s.requisition_id = l.requisition_id
    where l.* is distinct from s.* limit 100`)
  const { rows: counters } = await pool.query<{ scope: string; scope_id: number; status_code: string }>(`
    with counted as (
      select 'COLA' as scope, collaborator_id as scope_id, status_code, count(*) as n from requisition_list group by 1, 2, 3
      union all select 'BILL', 0, status_code, count(*) from requisition_list where requisition_id in (select requisition_id from billing_batch_item where left_out is null) group by 3),
    kept as (
      select scope, scope_id, status_code, sum(n) as n from (
        select scope, scope_id, status_code, n from requisition_count where scope in ('COLA', 'BILL')
        union all select scope, scope_id, status_code, n from requisition_count_delta_by_scope where scope in ('COLA', 'BILL')) x
      group by 1, 2, 3 having sum(n) <> 0)
    select scope, scope_id, status_code from counted full join kept using (scope, scope_id, status_code) where counted.n is distinct from kept.n limit 100`)
  const { rows: combinations } = await pool.query<{ test_codes: string }>(`
    with counted as (select test_codes, count(*) as n from requisition_list group by 1),
    kept as (
      select test_codes, sum(n) as n from (select * from requisition_tests_count union all select * from requisition_tests_count_delta) x
      group by 1 having sum(n) <> 0)
    select test_codes from counted full join kept using (test_codes) where counted.n is distinct from kept.n limit 100`)
  return [
    ...rows.map((row) => `requisition ${row.requisition_id}: the list differs from its source`),
    ...counters.map(
      (row) =>
        `${row.scope === 'BILL' ? 'billing' : `collaborator ${row.scope_id}`}, ${row.status_code}: the counter differs from the count`,
    ),
    ...combinations.map((row) => `tests "${row.test_codes}": the counter differs from the count`),
  ]
}
