import type { Pool } from '../../platform/db/pool.ts'

/** Compares the requisition list with the view that defines it, row by row, and the counters with a count; one sentence per fault. */
export const verifyLists = async (pool: Pool): Promise<string[]> => {
  const { rows } = await pool.query<{ requisition_id: number }>(`
    select coalesce(l.requisition_id, s.requisition_id) as requisition_id
    from requisition_list l full join requisition_list_source s on s.requisition_id = l.requisition_id
    where l.* is distinct from s.* limit 100`)
  const { rows: counters } = await pool.query<{ scope_id: number; status_code: string }>(`
    with counted as (select collaborator_id as scope_id, status_code, count(*) as n from requisition_list group by 1, 2),
    kept as (
      select scope_id, status_code, sum(n) as n from (
        select scope_id, status_code, n from requisition_count where scope = 'COLA'
        union all select scope_id, status_code, n from requisition_count_delta_by_scope where scope = 'COLA') x
      group by 1, 2 having sum(n) <> 0)
    select scope_id, status_code from counted full join kept using (scope_id, status_code) where counted.n is distinct from kept.n limit 100`)
  return [
    ...rows.map((row) => `requisition ${row.requisition_id}: the list differs from its source`),
    ...counters.map((row) => `collaborator ${row.scope_id}, ${row.status_code}: the counter differs from the count`),
  ]
}
