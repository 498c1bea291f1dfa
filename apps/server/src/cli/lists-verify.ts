import { withOwnerPool } from './with-owner-pool.ts'

/** Compares the requisition list with the view that defines it, row by row, and the counters with a count. */
await withOwnerPool(async (pool) => {
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
  for (const row of rows) console.error(`requisition ${row.requisition_id}: the list differs from its source`)
  for (const row of counters)
    console.error(`collaborator ${row.scope_id}, ${row.status_code}: the counter differs from the count`)
  console.log(`${rows.length} list rows and ${counters.length} counters differ`)
  if (rows.length + counters.length > 0) process.exitCode = 1
})
