import type { Pool } from '../db/pool.ts'

export interface AuditFault {
  kind: 'hash' | 'link' | 'gap' | 'seal'
  entity: string
  entityId: number
  id: number
}

/** Recomputes every hash and every link in the database, and compares the seals with the rows they cover. */
export const verifyAudit = async (pool: Pool): Promise<{ rows: number; seals: number; faults: AuditFault[] }> => {
  const { rows: faults } = await pool.query<AuditFault>(`
    with chain as (
      select e.id, e.entity, e.entity_id, e.chain_no, e.prev_hash, e.hash, audit_hash(e) as computed,
        lag(e.hash) over w as previous, lag(e.chain_no) over w as previous_no
      from audit_entry e window w as (partition by e.entity, e.entity_id order by e.chain_no)
    )
    select case when hash <> computed then 'hash' when prev_hash is distinct from previous then 'link' else 'gap' end as kind,
      entity, entity_id as "entityId", id
    from chain
    where hash <> computed or prev_hash is distinct from previous or chain_no <> coalesce(previous_no, 0) + 1
    order by id limit 100`)
  const { rows: sealFaults } = await pool.query<AuditFault>(`
    with computed as (
      select s.id, s.hash, s.row_count, lag(s.hash) over (order by s.id) as previous, s.prev_hash, body.n, body.hash as rows_hash
      from audit_seal s cross join lateral (
        select count(*) as n, sha256(coalesce(string_agg(e.hash, ''::bytea order by e.id), ''::bytea)) as hash
        from audit_entry e where e.id between s.from_id and s.to_id) body
    )
    select 'seal' as kind, 'audit_seal' as entity, id as "entityId", id from computed
    where n <> row_count or prev_hash is distinct from previous or hash <> sha256(coalesce(prev_hash, ''::bytea) || rows_hash) limit 100`)
  const { rows } = await pool.query<{ rows: number; seals: number }>(
    'select (select count(*) from audit_entry) as rows, (select count(*) from audit_seal) as seals',
  )
  return { rows: rows[0]?.rows ?? 0, seals: rows[0]?.seals ?? 0, faults: [...faults, ...sealFaults] }
}

/**
 * Seals every audit row that is old enough. A per-record chain cannot show that a whole chain or its tail is gone; the chain of
 * seals can.
 */
export const sealAudit = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ sealed: number }>('select audit_seal_due() as sealed')
  return rows[0]?.sealed ?? 0
}
