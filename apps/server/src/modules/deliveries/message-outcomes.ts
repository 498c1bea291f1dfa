import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import type { MessageOwner, Outcome } from '../../platform/messaging/deliver.ts'
import { addReportEvents } from '../reports/service.ts'
import { type Failure, type FailureKind, flagDeliveryFailure, raiseInterfaceIssue, recipientLabel } from './failures.ts'
import { recordNotificationOutcome, withdrawNotification } from './notify.ts'
import { recordOutgoingOutcome } from './partner-orders.ts'
import { type DeliveredRow, recordDelivered } from './record-delivered.ts'
import { systemWriteCall } from './system-call.ts'
import { withdrawOutdated } from './withdraw.ts'

interface AttemptedRow extends DeliveredRow {
  id: number
  requested_by: number | null
  user_name: string | null
  recipient_name: string | null
}

/** Writes the outcome of a message to its deliveries and notifications. A delivery that had failed can still arrive: by a resend at the desk. */
const recordOutcome = async (trx: Trx, outcome: Outcome) => {
  const { messageId, state, detail, isRefused, attempts, isFirst } = outcome
  // Locks the requisition first, as every other writer does: several messages of one requisition may end at the same time.
  await sql`select 1 from requisition where id in (select requisition_id from report_delivery where message_id = ${messageId}::bigint
    union all select requisition_id from patient_notification where message_id = ${messageId}::bigint) order by id for no key update`.execute(
    trx,
  )
  const kind: FailureKind = isRefused ? 'REFUSED' : state === 'DEAD' ? 'FAILED' : 'RETRY'
  const failure: Failure = { reason: detail, kind, isFirst }
  await recordOutgoingOutcome(trx, outcome)
  await recordNotificationOutcome(trx, messageId, state === 'SENT' ? null : failure)
  const { rows } = await sql<AttemptedRow>`
    update report_delivery d set answer = case when ${state} = 'SENT' then ${detail} else d.answer end, failure = case when ${state} = 'SENT' then null else ${detail} end,
      state = case ${state} when 'SENT' then 'DELIVERED' when 'DEAD' then 'FAILED' else d.state end,
      sent_at = case when ${state} = 'SENT' then now() end, delivered_at = case when ${state} = 'SENT' then now() end,
      confirmed_at = case when ${state} = 'SENT' and d.transmit_method_code = 'HL7' then now() end
    where d.message_id = ${messageId}::bigint and (d.state = 'PENDING' or (d.state = 'FAILED' and ${state} = 'SENT'))
    returning d.*, (select first_name || ' ' || last_name from app_user where id = d.requested_by) as user_name`.execute(
    trx,
  )
  for (const row of rows) {
    if (state === 'SENT')
      await recordDelivered(systemWriteCall(trx, { id: row.requested_by ?? 0, name: row.user_name ?? 'System' }), [row])
    else await recordFailedAttempt(trx, row, failure, attempts)
  }
}

export const deliveryMessages: MessageOwner = {
  cancelIfObsolete: async (db, messageId) =>
    (await withdrawOutdated(db, messageId)) || (await withdrawNotification(db, messageId)),
  onOutcome: recordOutcome,
}

const actions: Record<FailureKind, string> = { RETRY: 'DELIVTRY', REFUSED: 'DELIVREFUSE', FAILED: 'DELIVFAIL' }

/** Adds each attempt to the history; waiting for a gateway is no attempt. */
export const recordFailedAttempt = async (trx: Trx, row: AttemptedRow, failure: Failure, attempts: number) => {
  if (attempts > 0 || failure.kind !== 'RETRY')
    await addReportEvents(trx, row.requested_by, [
      {
        reportId: row.report_id,
        versionNo: row.report_version_no,
        action: actions[failure.kind],
        detail: failure.reason,
      },
    ])
  await flagDeliveryFailure(trx, row, failure)
  if (row.transmit_method_code === 'HL7' && failure.kind !== 'RETRY')
    await raiseInterfaceIssue(trx, row.requisition_id, recipientLabel(row), failure.reason)
}
