import { type TransmitMethodCode, transmitMethods } from '@lis/contract/deliveries.ts'
import { repeatWindowMs } from '@lis/contract/kit/route.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { planAll, requireDemographicQc } from './plan.ts'
import {
  findCurrentRecipient,
  findRecipientsOfRequisition,
  type LedgerAddress,
  type Recipient,
  type Recipients,
  unreachableReason,
} from './recipients.ts'
import { recordDelivered } from './record-delivered.ts'
import { startDeliveries } from './start-deliveries.ts'
import { type FileStore, refuseChangedFiles } from './verify-files.ts'
import { withdrawMisaddressed } from './withdraw.ts'

/** Sends every released report of these requisitions to all its recipients. What cannot be sent is listed and blocks nothing else. */
export const deliverRequisitions = async (write: WriteCall, store: FileStore, ids: readonly number[]) => {
  await write.db
    .selectFrom('requisition')
    .select('id')
    .where('id', '=', anyId(ids))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const { outcome, planned } = await planAll(write.db, ids)
  return { outcome, deliveryIds: await startDeliveries(write, await refuseChangedFiles(write.db, store, planned)) }
}

/** Sends chosen reports to the client by a chosen method. */
export const deliverReports = async (
  write: WriteCall,
  store: FileStore,
  requisitionId: number,
  reportIds: readonly number[],
  method: TransmitMethodCode,
): Promise<number[]> => {
  await lockRequisition(write.db, write.actor, requisitionId)
  await requireDemographicQc(write.db, requisitionId)
  const known = await findRecipientsOfRequisition(write.db, requisitionId)
  const recipient = requireReachable(requisitionId, known?.byMethod('CLIENT', method))
  await withdrawMisaddressed(write, requisitionId, known, { kind: 'CLIENT', reportIds })
  const reports = await releasedReports(write.db, requisitionId, reportIds)
  const planned = reports.map(({ id, version_no }) => ({
    requisitionId,
    reportId: id,
    versionNo: version_no,
    recipient,
  }))
  return startDeliveries(write, await refuseChangedFiles(write.db, store, planned))
}

const requireReachable = (requisitionId: number, recipient: Recipient | null | undefined): Recipient => {
  if (!recipient) throw conflict(`Requisition #${requisitionId} no longer has this receiver`)
  const reason = unreachableReason(recipient)
  if (reason) throw conflict(`Requisition #${requisitionId} cannot be sent: ${reason}`)
  return recipient
}

const releasedReports = async (trx: Trx, requisitionId: number, ids: readonly number[]) => {
  const found = await trx
    .selectFrom('report')
    .select(['id', 'current_version_no as version_no', 'lab_qc_status_code as qc'])
    .where('requisition_id', '=', requisitionId)
    .where('id', 'in', [...ids])
    .where('deleted_at', 'is', null)
    .execute()
  if (found.length < ids.length) throw notFound('Report')
  if (found.some(({ qc }) => qc !== 'RELEASE'))
    throw conflict(`Requisition #${requisitionId} has no report with lab QC result RELEASE among them`)
  return found
}

/** Sends the current version to the same recipient at the present address. A delivery that waits for its next attempt is tried at once. */
export const resendDelivery = async (write: WriteCall, store: FileStore, deliveryId: number): Promise<number[]> => {
  const before = await write.db
    .selectFrom('report_delivery')
    .selectAll()
    .where('id', '=', deliveryId)
    .executeTakeFirst()
  if (!before) throw notFound('Delivery')
  await lockRequisition(write.db, write.actor, before.requisition_id)
  await requireDemographicQc(write.db, before.requisition_id)
  const [report] = await releasedReports(write.db, before.requisition_id, [before.report_id])
  const repeated = await findRecentResend(write, before.id, report?.version_no ?? before.report_version_no)
  if (repeated !== null) return [repeated]
  const known = await findRecipientsOfRequisition(write.db, before.requisition_id)
  const recipient = requireReachable(before.requisition_id, findResendRecipient(known, before))
  const sent = { kind: before.recipient_kind, reportIds: [before.report_id] }
  await withdrawMisaddressed(write, before.requisition_id, known, sent)
  const planned = {
    requisitionId: before.requisition_id,
    reportId: before.report_id,
    versionNo: report?.version_no ?? before.report_version_no,
    recipient,
    isCorrection: before.is_correction,
    resendOf: before.id,
  }
  const ids = await startDeliveries(write, await refuseChangedFiles(write.db, store, [planned]))
  if (ids.length > 0) return ids
  if (!(await retryNow(write, before))) throw conflict(`Requisition #${before.requisition_id} is already on its way`)
  return [before.id]
}

/** A resend by the same person moments ago that was delivered: a second click is no second delivery. */
const findRecentResend = async (
  { db, actor }: WriteCall,
  deliveryId: number,
  versionNo: number,
): Promise<number | null> => {
  const found = await db
    .selectFrom('report_delivery')
    .select('id')
    .where('resend_of_id', '=', bigint(deliveryId))
    .where('report_version_no', '=', versionNo)
    .where('state', '=', 'DELIVERED')
    .where('requested_by', '=', actor.userId)
    .where('requested_at', '>', sql<string>`now() - ${repeatWindowMs} * interval '1 ms'`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.id ?? null
}

/** The recipient by the method used before, or by their present method where the earlier one cannot reach them. */
const findResendRecipient = (known: Recipients | undefined, before: LedgerAddress): Recipient | null => {
  const same = findCurrentRecipient(known, before)
  if (!same || unreachableReason(same) === null) return same
  const present = known?.all.find(({ kind, partyId }) => kind === same.kind && partyId === same.partyId)
  return present && unreachableReason(present) === null ? present : same
}

/** Makes a failed message due now. False where it has not failed, or is being sent at the moment. */
const retryNow = async (
  { db, actor, requestId }: WriteCall,
  { id, requisition_id: requisitionId, report_id: reportId }: { id: number; requisition_id: number; report_id: number },
): Promise<boolean> => {
  // Skips a locked message: its sender waits for the requisition that is locked here.
  const { rows } =
    await sql`update outbox_message set next_attempt_at = now() where id = (select m.id from report_delivery d join outbox_message m on m.id = d.message_id
    where d.id = ${id}::bigint and d.state = 'PENDING' and m.state = 'FAILED' for update of m skip locked) returning id`.execute(
      db,
    )
  if (rows.length === 0) return false
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'DELIVERY',
    new: { reportId, triedAgain: 'Yes' },
  })
  return true
}

/** Records that a printed report was handed over. */
export const confirmPrint = async (write: WriteCall, deliveryId: number) => {
  const { db, actor, requestId } = write
  const found = await db.selectFrom('report_delivery').selectAll().where('id', '=', deliveryId).executeTakeFirst()
  if (!found) throw notFound('Delivery')
  await lockRequisition(db, actor, found.requisition_id)
  await requireDemographicQc(db, found.requisition_id)
  const now = sql<string>`now()`
  const row = await db
    .updateTable('report_delivery')
    .set({ state: 'DELIVERED', delivered_at: now, sent_at: now, confirmed_at: now, answer: `Printed by ${actor.name}` })
    .where('id', '=', deliveryId)
    .where('state', '=', 'PENDING')
    .where('transmit_method_code', '=', 'PRINT')
    .returningAll()
    .executeTakeFirst()
  if (!row) throw conflict('This delivery is not waiting for a printer')
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: row.requisition_id,
    requisitionId: row.requisition_id,
    action: 'DELIVERY',
    new: { reportId: row.report_id, transmitMethod: transmitMethods.PRINT, printed: 'Yes' },
  })
  await recordDelivered(write, [row])
  return { id: row.id }
}
