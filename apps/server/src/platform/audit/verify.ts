import type { Pool } from '../db/pool.ts'
import type { AuditFault } from './fault.ts'
import { auditKey } from './key.ts'
import { listSeals, macOfSeal, type Seal } from './seal.ts'
import { verifyExternalRecord } from './verify-external-record.ts'

export interface AuditCheck {
  rows: number
  seals: number
  faults: AuditFault[]
}

export interface ExternalRecord {
  secret: string
  /** See `auditFolder`. */
  folder: string
}

/** Recomputes every hash, link and seal, and compares the audit with the clinical records and with the external record. */
export const verifyAudit = async (pool: Pool, external?: ExternalRecord): Promise<AuditCheck> => {
  const seals = await listSeals(pool)
  const faults = [
    ...(await chainFaults(pool)),
    ...(await sealFaults(pool)),
    ...(external ? macFaults(seals, external.secret) : []),
    ...(external ? await verifyExternalRecord(pool, seals, auditKey(external.secret), external.folder) : []),
    ...(await stateFaults(pool)),
  ]
  const { rows } = await pool.query<{ rows: number }>('select count(*) as rows from audit_entry')
  return { rows: rows[0]?.rows ?? 0, seals: seals.length, faults }
}

/** One sentence for a person. */
export const describeFault = ({ kind, id, entity, entityId, detail }: AuditFault): string =>
  `${kind}: ${detail ?? (id ? `audit row ${id} (${entity} ${entityId})` : `${entity} ${entityId}`)}`

const chainFaults = async (pool: Pool): Promise<AuditFault[]> => {
  const { rows } = await pool.query<AuditFault>(`
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
  return rows
}

const sealFaults = async (pool: Pool): Promise<AuditFault[]> => {
  const { rows } = await pool.query<AuditFault>(`
    with computed as (
      select s.*, lag(s.hash) over w as previous, coalesce(lag(s.to_id) over w, 0) + 1 as next_id,
        (select count(*) from audit_entry e where e.id between s.from_id and s.to_id) as rows_now,
        (select count(*) from audit_state t where t.id between s.state_from and s.state_to) as states_now
      from audit_seal s window w as (order by s.id)
    )
    select 'seal' as kind, 'audit_seal' as entity, id as "entityId", id,
      format('the rows %s to %s are not as seal %s has them', from_id, to_id, id) as detail
    from computed
    where rows_now <> row_count or states_now <> coalesce(state_count, 0) or prev_hash is distinct from previous or from_id <> next_id
      or hash <> audit_seal_hash(prev_hash, from_id, to_id, state_from, state_to) order by id limit 100`)
  return rows
}

/**
 * A seal made with the current secret is verified by its MAC. Seals without a MAC, and those of an earlier secret, are protected by the chain
 * of hashes; only the last one has nothing after it.
 */
const macFaults = (seals: readonly Seal[], secret: string): AuditFault[] => {
  const key = auditKey(secret)
  const firstWithMac = seals.findIndex(({ mac }) => mac !== null)
  const faults: AuditFault[] = []
  seals.forEach((seal, index) => {
    const isLast = index === seals.length - 1
    const fault = (kind: 'seal' | 'key', detail: string) =>
      faults.push({ kind, entity: 'audit_seal', entityId: seal.id, id: seal.id, detail })
    if (seal.mac === null) {
      if (firstWithMac >= 0 && index > firstWithMac) fault('seal', `seal ${seal.id} has lost its code`)
    } else if (seal.keyMark !== key.fingerprint) {
      if (isLast) fault('key', `the last seal, ${seal.id}, was made with another secret`)
    } else if (seal.mac !== macOfSeal(key, seal)) {
      fault('seal', `seal ${seal.id} was not made by this installation`)
    }
  })
  return faults
}

/** Every clinical record against the digest of the last change, and every change against the audit row of its transaction. */
const stateFaults = async (pool: Pool): Promise<AuditFault[]> => {
  const { rows } = await pool.query<AuditFault>(`
    with last as (
      select distinct on (entity, entity_id, part) entity, entity_id, part, digest from audit_state order by entity, entity_id, part, id desc
    ), differing as (
      select entity, entity_id, part from audit_current c full join last l using (entity, entity_id, part) where c.digest is distinct from l.digest
      order by entity, entity_id, part limit 100
    ), unaudited as (
      select distinct s.entity, s.entity_id, s.part from audit_state s
      where not exists (select from audit_entry e where e.tx_at = s.tx_at) limit 100
    ), found as (
      select 'state' as kind, d.* from differing d union all select 'unaudited', u.* from unaudited u
    )
    select kind, entity, entity_id as "entityId", 0 as id, concat(entity, ' ', entity_id, case when part > 0 then ' version ' || part end, requisition.text,
      case kind when 'state' then ' is not what was last written' else ' was changed without an audit row' end) as detail
    from found left join lateral (
      select concat(' (requisition ', coalesce(
        (select t.requisition_id from requisition_test t where entity = 'requisition_test' and t.id = entity_id),
        (select r.requisition_id from report r where entity in ('report', 'report_version') and r.id = entity_id)), ')') as text
      where entity not in ('patient', 'requisition')) requisition on true
    order by kind, entity, entity_id`)
  return rows
}
