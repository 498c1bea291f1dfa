import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import { displayStatus, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { anyId } from '../../platform/db/expressions.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisitionRows, setStatus } from '../life-cycle/service.ts'
import { lockBatch, openItemIds } from './queries.ts'

/**
 * Cancels a batch that is not sent. Its requisitions are ready to bill again, with the reason in history and billing notes; those that
 * somebody has moved by hand keep their status.
 */
export const cancelBatch = async (call: WriteCall, id: number, reason: string): Promise<Outcome> => {
  const { db, actor, requestId } = call
  const batch = await lockBatch(db, id)
  if (batch.send_status_code === 'SENT') throw conflict(`Billing batch ${id} has already been sent`)
  const ids = await openItemIds(db, id)
  await lockRequisitionRows(db, ids)
  const rows = await db
    .selectFrom('requisition')
    .select((eb) => ['id', eb.ref('status_code').$castTo<StatusCode>().as('status')])
    .where('id', '=', anyId(ids))
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute()
  const inBatch = rows.filter(({ status }) => status === 'INBILL').map((row) => row.id)
  const note = `Billing batch ${id} cancelled: ${reason}`
  await setStatus(db, actor, requestId, inBatch, { from: 'INBILL', to: 'READYBILL', reason: note })
  await sql`insert into billing_note (requisition_id, note, created_by)
    select r, ${note}, ${actor.userId} from unnest(${inBatch}::bigint[]) as r`.execute(db)
  // Billing users see requisitions by these rows, so they are deleted; the audit has the ids.
  await db.deleteFrom('billing_batch_item').where('batch_id', '=', id).execute()
  await db
    .updateTable('billing_batch')
    .set((eb) => ({ deleted_at: sql<string>`now()`, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
  await recordAudit(db, actor, requestId, {
    entity: 'billing_batch',
    entityId: id,
    action: 'CANCEL',
    reason,
    old: { sendStatusCode: batch.send_status_code, reqIds: ids },
  })
  return { moved: inBatch, refused: rows.filter(({ status }) => status !== 'INBILL').map(refusalOf) }
}

const refusalOf = ({ id, status }: { id: number; status: StatusCode }): Refusal => {
  const { group, description } = statusOf(status)
  const name = group === 'Billed' ? description : displayStatus(status)
  return { id, label: `#${id}`, reason: `Requisition #${id} is ${name} and stays so`, tabSlug: 'status' }
}
