import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import type { Sql } from '../../platform/lists.ts'
import { raiseIssue, resolveIssues } from '../issues/service.ts'

/** The actor in the history of what deliveries do without a person. */
export const deliveryActorName = 'Delivery'

/** Whether a failed attempt is tried again. */
export type FailureKind = 'RETRY' | 'REFUSED' | 'FAILED'
const failureNotes: Record<FailureKind, string> = {
  RETRY: 'It will be retried automatically.',
  REFUSED: 'It was refused and will not be retried.',
  FAILED: 'It has been given up.',
}

export interface Failure {
  reason: string
  kind: FailureKind
  /** No issue has been raised for it yet. */
  isFirst: boolean
}

/** From the first failure on, flags the requisition and raises an issue for the delivery department; other deliveries continue. */
export const flagFailure = async (
  trx: Trx,
  requisitionId: number,
  what: string,
  { reason, kind, isFirst }: Failure,
) => {
  if (kind === 'RETRY' && !isFirst) return
  await sql`insert into requisition_flag (requisition_id, flag_id) select ${requisitionId}::bigint, id from flag where code = 'DELIVERFAIL'
    on conflict do nothing`.execute(trx)
  const issueNote = `${reason.replace(/\.?$/, '.')} ${failureNotes[kind]}`
  await raiseIssue(trx, requisitionId, 'DELIVFAIL', { by: deliveryActorName, issueDesc: what, issueNote })
}

/** A row `d` of `report_delivery` that failed, finally or so far, without a later delivery to the same kind of recipient, who is still a recipient. */
export const isUnresolvedFailure = sql`(((d.state = 'FAILED' and not d.is_dropped) or (d.state = 'PENDING' and d.failure is not null)) and not exists (select from report_delivery later
  where later.report_id = d.report_id and later.recipient_kind = d.recipient_kind and later.delivered_at is not null and later.id > d.id)
  and (d.recipient_kind <> 'COPY' or exists (select from requisition q where q.id = d.requisition_id and q.copy_to_client_id <> q.client_id)))`

interface FailedDelivery {
  id: number
  requisition_id: number
  recipient_name: string | null
  recipient: string
}

/** A retry may fail finally after the report was delivered by another method, or need not be delivered any more: then nothing is left to do. */
export const flagDeliveryFailure = async (trx: Trx, row: FailedDelivery, failure: Failure) => {
  const { rows } =
    await sql`select from report_delivery d where d.id = ${row.id}::bigint and ${isUnresolvedFailure}`.execute(trx)
  if (rows.length === 0) return clearResolvedFailures(trx, [row.requisition_id])
  await flagFailure(trx, row.requisition_id, `The report could not be delivered to ${recipientLabel(row)}`, failure)
}

export const recipientLabel = ({ recipient_name, recipient }: Pick<FailedDelivery, 'recipient_name' | 'recipient'>) =>
  recipient_name ?? recipient

/** A message `m` that has failed at least once and has not left since. */
export const hasFailed = sql`(m.state = 'DEAD' or (m.state <> 'SENT' and exists (select from outbox_attempt a where a.message_id = m.id)))`

/** A notification `n` that did not reach a patient who wants to be notified. */
const isNotNotified = sql`(${hasFailed} and not exists (select from requisition q join patient p on p.id = q.patient_id where q.id = n.requisition_id and p.is_notify_opt_out)
  and not exists (select from patient_notification later join outbox_message l on l.id = later.message_id
  where later.requisition_id = n.requisition_id and later.id > n.id and l.state = 'SENT'))`

/** Removes the flag and resolves the issue once everything that failed was delivered after all, or need not be any more. */
export const clearResolvedFailures = async (trx: Trx, reqIds: readonly number[]) => {
  const { rows } = await sql<{ requisition_id: number }>`
    delete from requisition_flag f using flag k where k.id = f.flag_id and k.code = 'DELIVERFAIL' and f.requisition_id = any(${[...reqIds]}::bigint[])
      and not exists (select from report_delivery d where d.requisition_id = f.requisition_id and ${isUnresolvedFailure})
      and not exists (select from patient_notification n join outbox_message m on m.id = n.message_id where n.requisition_id = f.requisition_id and ${isNotNotified})
    returning f.requisition_id`.execute(trx)
  if (rows.length === 0) return
  const ended = rows.map((row) => row.requisition_id)
  await resolveIssues(trx, ended, 'DELIVFAIL', deliveryActorName)
}

/**
 * The recipients of these requisitions `r` have changed, by 'Deliver To' of the collaborator or by another collaborator. A failed
 * delivery to a former recipient no longer counts as a failure; it does again when they become a recipient again. Corrections still go
 * to everyone who has the report.
 */
export const propagateDeliverTo = async (trx: Trx, which: Sql) => {
  const { rows: affected } = await sql<{ id: number }>`
    select r.id from requisition r where ${which} and exists (select from report_delivery d where d.requisition_id = r.id and d.state <> 'DELIVERED')
    order by r.id for no key update`.execute(trx)
  const ids = affected.map(({ id }) => id)
  const { rows } = await sql<FailedDelivery & { failure: string; is_trouble_again: boolean }>`
    update report_delivery d set is_dropped = not d.is_dropped from requisition r join collaborator o on o.id = r.collaborator_id
    where r.id = any(${ids}::bigint[]) and r.id = d.requisition_id and d.state <> 'DELIVERED' and d.recipient_kind <> 'COPY' and not d.is_correction
      and d.is_dropped = (coalesce(o.report_deliver_to_code, 'CLIENT') in (d.recipient_kind, 'BOTH')
        or order_sender(r.id, case d.recipient_kind when 'CLIENT' then r.client_id end, case d.recipient_kind when 'COLA' then r.collaborator_id end) is not null)
    returning d.id, d.requisition_id, d.recipient_name, d.recipient, d.failure, d.state = 'FAILED' and not d.is_dropped as is_trouble_again`.execute(
    trx,
  )
  for (const row of rows.filter(({ is_trouble_again }) => is_trouble_again))
    await flagDeliveryFailure(trx, row, { reason: row.failure, kind: 'FAILED', isFirst: true })
  await clearResolvedFailures(trx, ids)
}

/** An interface that does not accept a message is for IT to fix, whatever the delivery department does about the report. */
export const raiseInterfaceIssue = (trx: Trx, requisitionId: number, receiver: string, reason: string) =>
  raiseIssue(trx, requisitionId, 'INTERFACE', {
    by: deliveryActorName,
    issueDesc: `The HL7 message to ${receiver} failed`,
    issueNote: reason,
  })

/** A message `m` that a person has to settle. Results that failed are settled when the partner has got later ones of the requisition. */
export const isOpenMessage = sql`(m.state in ('HELD', 'FAILED') and not (m.direction = 'OUT' and m.kind = 'HL7' and exists (select from interface_message later
  where later.partner_id = m.partner_id and later.requisition_id = m.requisition_id and later.direction = 'OUT' and later.state = 'SENT' and later.id > m.id)))`

/**
 * The interface has accepted what it refused before. A report delivered by another method does not resolve its issue, nor does a report
 * that was delivered while another message of the requisition waits for a person.
 */
export const resolveInterfaceIssues = async (trx: Trx, reqIds: readonly number[]) => {
  if (reqIds.length === 0) return
  const { rows } = await sql<{ id: number }>`select x.id from unnest(${[...reqIds]}::bigint[]) as x(id)
    where not exists (select from report_delivery d where d.requisition_id = x.id and d.transmit_method_code = 'HL7' and ${isUnresolvedFailure})
      and not exists (select from interface_message m where m.requisition_id = x.id and ${isOpenMessage})`.execute(trx)
  const ended = rows.map(({ id }) => id)
  await resolveIssues(trx, ended, 'INTERFACE', deliveryActorName)
}

/** A former recipient with an earlier version has to be informed by a person, who then resolves the issue; no later delivery does. */
export const raiseFormerRecipientIssue = (
  trx: Trx,
  requisitionId: number,
  { what, note }: { what: string; note: string },
) =>
  raiseIssue(trx, requisitionId, 'REPNOTREC', {
    by: deliveryActorName,
    issueDesc: what,
    issueNote: note,
    isSeparate: true,
  })
