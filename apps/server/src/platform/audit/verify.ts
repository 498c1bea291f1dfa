import { listDetachedParts, monthOf, type RecordedPart } from '../db/parts.ts'
import type { Pool } from '../db/pool.ts'
import type { AuditFault } from './fault.ts'
import { auditKey, macOfPart } from './key.ts'
import { listSeals, macOfSeal, type Seal } from './seal.ts'
import { verifyExternalRecord } from './verify-external-record.ts'

type Reader = Pick<Pool, 'query'>

export interface AuditCheck {
  rows: number
  seals: number
  faults: AuditFault[]
  /** Detached parts that were not at hand: what is in them could not be checked. */
  missing: RecordedPart[]
}

export interface ExternalRecord {
  secret: string
  /** See `auditFolder`. */
  folder: string
}

/**
 * Recomputes every hash, link and seal, and compares the audit with the clinical records and with the external record. `isAtHand` tells which
 * detached parts the reader has beside the tables.
 */
export const verifyAudit = async (
  pool: Reader,
  external?: ExternalRecord,
  isAtHand: (part: RecordedPart) => boolean = () => false,
): Promise<AuditCheck> => {
  const seals = await listSeals(pool)
  const detached = await listDetachedParts(pool)
  const missing = detached.filter((part) => part.table.startsWith('audit_') && part.rows > 0 && !isAtHand(part))
  const gaps = gapsOf(missing)
  const faults = [
    ...(await chainFaults(pool, gaps)),
    ...(await sealFaults(pool, gaps)),
    ...(external ? macFaults(seals, external.secret) : []),
    ...(external ? partFaults(detached, external.secret) : []),
    ...(external ? await verifyExternalRecord(pool, seals, auditKey(external.secret), external.folder, missing) : []),
    ...(await stateFaults(pool, gaps)),
  ]
  const { rows } = await pool.query<{ rows: number }>('select count(*) as rows from audit_entry')
  return { rows: rows[0]?.rows ?? 0, seals: seals.length, faults, missing }
}

/** One sentence for a person. */
export const describeFault = ({ kind, id, entity, entityId, detail }: AuditFault): string =>
  `${kind}: ${detail ?? (id ? `audit row ${id} (${entity} ${entityId})` : `${entity} ${entityId}`)}`

/** What is missing, as parameters of the statements below: the first and last ids of the missing parts, and their months. */
interface Gaps {
  entryIds: [number[], number[]]
  stateIds: [number[], number[]]
  entryTimes: [string[], string[]]
}

const gapsOf = (missing: readonly RecordedPart[]): Gaps => {
  const entries = missing.filter(({ table }) => table === 'audit_entry')
  const ids = (parts: readonly RecordedPart[]): [number[], number[]] => [
    parts.map(({ firstId }) => firstId ?? 0),
    parts.map(({ lastId }) => lastId ?? 0),
  ]
  return {
    entryIds: ids(entries),
    stateIds: ids(missing.filter(({ table }) => table === 'audit_state')),
    entryTimes: [
      entries.map(({ from }) => from?.toISOString() ?? '-infinity'),
      entries.map(({ to }) => (to as Date).toISOString()),
    ],
  }
}

/** A row may refer to one that is in a missing part: then its link cannot be followed. */
const chainFaults = async (pool: Reader, { entryIds }: Gaps): Promise<AuditFault[]> => {
  const { rows } = await pool.query<AuditFault>(
    `
    with chain as (
      select e.id, e.entity, e.entity_id, e.chain_no, e.prev_hash, e.hash, audit_hash(row(e.*)::public.audit_entry) as computed,
        lag(e.hash) over w as previous, lag(e.chain_no) over w as previous_no, coalesce(lag(e.id) over w, 0) as previous_id
      from audit_entry e window w as (partition by e.entity, e.entity_id order by e.chain_no)
    )
    select case when hash <> computed then 'hash' when prev_hash is distinct from previous then 'link' else 'gap' end as kind,
      entity, entity_id as "entityId", id
    from chain
    where hash <> computed
      or (prev_hash is distinct from previous or chain_no <> coalesce(previous_no, 0) + 1)
        and not (prev_hash is not null and chain_no > coalesce(previous_no, 0) + 1
          and exists (select from unnest($1::bigint[], $2::bigint[]) as missing(first, last) where first < chain.id and last > previous_id))
    order by id limit 100`,
    entryIds,
  )
  return rows
}

/** Of a seal over rows of a missing part only its place in the chain of seals can be checked. */
const sealFaults = async (pool: Reader, { entryIds, stateIds }: Gaps): Promise<AuditFault[]> => {
  const { rows } = await pool.query<AuditFault>(
    `
    with computed as (
      select s.*, lag(s.hash) over w as previous, coalesce(lag(s.to_id) over w, 0) + 1 as next_id,
        (select count(*) from audit_entry e where e.id between s.from_id and s.to_id) as rows_now,
        (select count(*) from audit_state t where t.id between s.state_from and s.state_to) as states_now,
        exists (select from unnest($1::bigint[], $2::bigint[]) as missing(first, last) where first <= s.to_id and last >= s.from_id)
          or exists (select from unnest($3::bigint[], $4::bigint[]) as missing(first, last) where first <= s.state_to and last >= s.state_from) as is_open
      from audit_seal s window w as (order by s.id)
    )
    select 'seal' as kind, 'audit_seal' as entity, id as "entityId", id,
      format('the rows %s to %s are not as seal %s has them', from_id, to_id, id) as detail
    from computed
    where prev_hash is distinct from previous or from_id <> next_id or rows_now > row_count or states_now > coalesce(state_count, 0)
      or not is_open and (rows_now <> row_count or states_now <> coalesce(state_count, 0)
        or hash <> audit_seal_hash(prev_hash, from_id, to_id, state_from, state_to))
    order by id limit 100`,
    [...entryIds, ...stateIds],
  )
  return rows
}

/** A row written into the table of detached parts without the secret could hide that rows are gone. */
const partFaults = (detached: readonly RecordedPart[], secret: string): AuditFault[] => {
  const key = auditKey(secret)
  return detached
    .filter((part) => part.keyMark === key.fingerprint && part.mac !== macOfPart(key, part))
    .map((part) => ({
      kind: 'part',
      entity: 'detached_part',
      entityId: 0,
      id: 0,
      detail: `${part.table} ${monthOf(part)} was not detached by this installation`,
    }))
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
const stateFaults = async (pool: Reader, { stateIds, entryTimes }: Gaps): Promise<AuditFault[]> => {
  const { rows } = await pool.query<AuditFault>(
    `
    with last as (
      select distinct on (entity, entity_id, part) entity, entity_id, part, id, digest from audit_state order by entity, entity_id, part, id desc
    ), differing as (
      select entity, entity_id, part from audit_current c full join last l using (entity, entity_id, part) where c.digest is distinct from l.digest
        and coalesce(l.id, 0) >= (select coalesce(max(last), 0) from unnest($1::bigint[]) as missing(last))
      order by entity, entity_id, part limit 100
    ), unaudited as (
      select distinct s.entity, s.entity_id, s.part from audit_state s
      where not exists (select from audit_entry e where e.tx_at = s.tx_at)
        and not exists (select from unnest($2::timestamptz[], $3::timestamptz[]) as missing(first, last)
          where s.tx_at < missing.last and s.tx_at > missing.first - interval '1 day') limit 100
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
    order by kind, entity, entity_id`,
    [stateIds[1], ...entryTimes],
  )
  return rows
}
