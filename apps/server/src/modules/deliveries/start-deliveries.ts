import { type TransmitMethodCode, transmitMethods } from '@lis/contract/deliveries.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { flagDeliveryFailure } from './failures.ts'
import type { Recipient } from './recipients.ts'
import { recordDelivered } from './record-delivered.ts'

/** One report version for one recipient: a future row of `report_delivery`. */
export interface PlannedDelivery {
  requisitionId: number
  reportId: number
  versionNo: number
  recipient: Recipient
  isCorrection?: boolean
  resendOf?: number
  /** Why it cannot be sent: the row is then written as failed, and the delivery department has to fix it. */
  failure?: string | null
}

/** Kind of the job that writes the messages. The job imports from here, so its kind cannot be imported from the job. */
export const sendJobKind = 'deliveries.send'

/** Writes the delivery rows and queues the send job in the transaction of the request. What is published in the portal counts as delivered at once. */
export const startDeliveries = async (write: WriteCall, planned: readonly PlannedDelivery[]): Promise<number[]> => {
  const { db, actor, requestId } = write
  if (planned.length === 0) return []
  const now = sql<string>`now()`
  const inserted = await db
    .insertInto('report_delivery')
    .values(
      planned.map((one) => {
        const {
          requisitionId,
          reportId,
          versionNo,
          recipient,
          isCorrection = false,
          resendOf = null,
          failure = null,
        } = one
        const isPublished = failure === null && recipient.method === 'PORTAL'
        return {
          requisition_id: requisitionId,
          report_id: reportId,
          report_version_no: versionNo,
          transmit_method_code: recipient.method,
          recipient: recipient.address,
          recipient_kind: recipient.kind,
          party_id: recipient.partyId,
          recipient_name: recipient.name,
          requested_by: actor.userId,
          is_correction: isCorrection,
          resend_of_id: resendOf,
          state: failure !== null ? 'FAILED' : isPublished ? 'DELIVERED' : 'PENDING',
          failure,
          delivered_at: isPublished ? now : null,
          sent_at: isPublished ? now : null,
          answer: isPublished ? 'Can be had in the portal' : null,
          sha256: sql<Buffer>`(select f.sha256 from report_version v join stored_file f on f.id = report_file(v.report_id, v.version_no, v.file_id) where v.report_id = ${reportId} and v.version_no = ${versionNo})`,
        }
      }),
    )
    .onConflict((oc) =>
      oc
        .columns(['report_id', 'report_version_no', 'transmit_method_code', 'recipient'])
        // A literal, not a parameter: a generic plan could not match it with the condition of the partial index.
        .where(sql`state`, '=', sql.lit('PENDING'))
        .doNothing(),
    )
    .returningAll()
    .execute()
  const sendable = inserted.filter((row) => row.state !== 'FAILED')
  await recordAudit(
    db,
    actor,
    requestId,
    sendable.map((row) => ({
      entity: 'requisition',
      entityId: row.requisition_id,
      requisitionId: row.requisition_id,
      action: 'DELIVERY',
      new: {
        reportId: row.report_id,
        versionNo: row.report_version_no,
        transmitMethod: transmitMethods[row.transmit_method_code as TransmitMethodCode],
        deliveredTo: row.recipient,
      },
    })),
  )
  for (const row of inserted.filter(({ state }) => state === 'FAILED'))
    await flagDeliveryFailure(db, row, { reason: row.failure ?? '', kind: 'FAILED', isFirst: true })
  const waiting = inserted.filter((row) => row.state === 'PENDING' && row.transmit_method_code !== 'PRINT')
  if (waiting.length > 0)
    await startJob(db, sendJobKind, { deliveryIds: waiting.map(({ id }) => id) }, { userId: actor.userId })
  await recordDelivered(
    write,
    inserted.filter((row) => row.state === 'DELIVERED'),
  )
  return inserted.map(({ id }) => id)
}
