import { sql } from 'kysely'
import type { Actor } from '../auth/actor.ts'
import type { Trx } from '../db/db.ts'

/** By field name, never a list: readers of the audit look for names. */
type Values = { readonly [field: string]: unknown }

export interface AuditRecord {
  entity: string
  entityId: number
  action: string
  old?: Values | undefined
  new?: Values | undefined
  reason?: string | undefined
  requisitionId?: number
  clientId?: number
}

/** A user, or a part of the system such as the billing job. */
export type AuditActor =
  | Pick<Actor, 'userId' | 'name' | 'source' | 'viewer'>
  | { userId: null; name: string; source?: string; viewer?: never }

const deletions = new WeakMap<Trx, Pick<AuditRecord, 'entity' | 'entityId'>[]>()

/** What has been deleted in this transaction, so that it can be undone. */
export const deletedIn = (trx: Trx) => deletions.get(trx) ?? []

/** Appends to the hash-chained audit in the transaction of the change: one statement for any number of records. */
export const recordAudit = async (
  trx: Trx,
  actor: AuditActor,
  requestId: string | null,
  records: AuditRecord | AuditRecord[],
) => {
  const rows = Array.isArray(records) ? records : [records]
  if (rows.length === 0) return
  const deleted = rows.filter(({ action }) => action === 'DELETE')
  if (deleted.length > 0) deletions.set(trx, [...deletedIn(trx), ...deleted])
  // What an administrator did as somebody else is under both names.
  const { userId, name } = actor.viewer
    ? { userId: actor.viewer.userId, name: `${actor.viewer.name} as ${actor.name}` }
    : actor
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  const withSource = (values: Values | undefined) => (actor.source ? { ...values, Source: actor.source } : values)
  // A trigger computes the chain number and the hash, and overwrites the values given here.
  await sql`insert into audit_entry (entity, entity_id, action, reason, requisition_id, client_id, old_data, new_data, actor_id, actor_name, request_id, chain_no, hash)
    select n.*, ${userId}::int, ${name}, ${requestId}::uuid, 0, ''::bytea
    from unnest(${rows.map(({ entity }) => entity)}::text[], ${rows.map(({ entityId }) => entityId)}::bigint[], ${rows.map(({ action }) => action)}::text[],
      ${rows.map(({ reason }) => reason ?? null)}::text[], ${rows.map(({ requisitionId }) => requisitionId ?? null)}::bigint[],
      ${rows.map(({ clientId }) => clientId ?? null)}::int[], ${rows.map((row) => json(row.old))}::jsonb[], ${rows.map((row) => json(withSource(row.new)))}::jsonb[]) as n`.execute(
    trx,
  )
}
