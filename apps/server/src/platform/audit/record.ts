import type { Actor } from '../auth/actor.ts'
import type { Trx } from '../db/db.ts'

export interface AuditRecord {
  entity: string
  entityId: number
  action: string
  old?: unknown
  new?: unknown
  reason?: string
  requisitionId?: number
  clientId?: number
}

/** Who did it: a person, or a part of the system such as the billing job. */
export type AuditActor = Pick<Actor, 'userId' | 'name'> | { userId: null; name: string }

const rowsAtOnce = 2000

/** Writes what happened into the append-only, hash-chained audit, in the transaction of the change itself. */
export const recordAudit = async (
  trx: Trx,
  actor: AuditActor,
  requestId: string | null,
  records: AuditRecord | AuditRecord[],
) => {
  const rows = (Array.isArray(records) ? records : [records]).map((record) => ({
    entity: record.entity,
    entity_id: record.entityId,
    action: record.action,
    reason: record.reason ?? null,
    requisition_id: record.requisitionId ?? null,
    client_id: record.clientId ?? null,
    actor_id: actor.userId,
    actor_name: actor.name,
    request_id: requestId,
    old_data: record.old === undefined ? null : JSON.stringify(record.old),
    new_data: record.new === undefined ? null : JSON.stringify(record.new),
    // Both are computed by the database; the trigger overwrites whatever is given here.
    chain_no: 0,
    hash: Buffer.alloc(0),
  }))
  // A statement takes at most 65,535 values.
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    await trx
      .insertInto('audit_entry')
      .values(rows.slice(from, from + rowsAtOnce))
      .execute()
  }
}
