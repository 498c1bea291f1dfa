import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import { displayStatus, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisitionRows, setStatus } from '../life-cycle/service.ts'
import { lockBatch, openItemIds } from './queries.ts'

/**
 * Calls back a batch that was made in error. Its requisitions wait for the next one, with the reason in history and billing notes;
 * what somebody has moved by hand meanwhile stays where it is. What was sent is billed and stays.
 */
export const cancelBatch = async (call: WriteCall, id: number, reason: string): Promise<Outcome> => {
  const { db, actor, requestId } = call
  const batch = await lockBatch(db, id)
  if (batch.send_status_code === 'SENT') throw conflict(`Billing batch ${id} has already been sent`)
  const ids = await openItemIds(db, id)
  await lockRequisitionRows(db, ids)
  const { rows } = await sql<{ id: number; status: StatusCode }>`
    select id, status_code as status from requisition where id = any(${ids}::bigint[]) and deleted_at is null order by id`.execute(
    db,
  )
  const waiting = rows.filter(({ status }) => status === 'INBILL').map((row) => row.id)
  const told = `Billing batch ${id} cancelled: ${reason}`
  await setStatus(db, actor, requestId, waiting, { from: 'INBILL', to: 'READYBILL', reason: told })
  await sql`insert into billing_note (requisition_id, note, created_by)
    select r, ${told}, ${actor.userId} from unnest(${waiting}::bigint[]) as r`.execute(db)
  // Out of the batch is out of the sight of billing users, so the rows go; the audit keeps which they were.
  await sql`delete from billing_batch_item where batch_id = ${id}`.execute(db)
  await sql`update billing_batch set deleted_at = now(), version = version + 1 where id = ${id}`.execute(db)
  await recordAudit(db, actor, requestId, {
    entity: 'billing_batch',
    entityId: id,
    action: 'CANCEL',
    reason,
    old: { sendStatusCode: batch.send_status_code, reqIds: ids },
  })
  return { moved: waiting, refused: rows.filter(({ status }) => status !== 'INBILL').map(stays) }
}

const stays = ({ id, status }: { id: number; status: StatusCode }): Refusal => {
  const { group, description } = statusOf(status)
  const name = group === 'Billed' ? description : displayStatus(status)
  return { id, label: `#${id}`, reason: `Requisition #${id} is ${name} and stays so`, tabSlug: 'status' }
}
