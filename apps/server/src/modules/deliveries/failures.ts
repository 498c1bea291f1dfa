import { sql } from 'kysely'
import type { Trx } from '../../platform/db/db.ts'
import { raiseIssue, settleIssues } from '../issues/service.ts'

/** Stands in the history for what deliveries do by themselves. */
export const deliverer = 'Delivery'

/** What a failure means for the one who has to look after it. */
export type Ending = 'RETRY' | 'REFUSED' | 'FAILED'
const consequences: Record<Ending, string> = {
  RETRY: 'It is tried again by itself.',
  REFUSED: 'It was refused and is not tried again.',
  FAILED: 'It has been given up.',
}

export interface Failure {
  reason: string
  ending: Ending
  /** People have not been told of it yet. */
  isFirst: boolean
}

/** From the first failure on it shows on the requisition and is the delivery department's to mend; the other deliveries go on. */
export const showFailure = async (
  trx: Trx,
  requisitionId: number,
  what: string,
  { reason, ending, isFirst }: Failure,
) => {
  if (ending === 'RETRY' && !isFirst) return
  await sql`insert into requisition_flag (requisition_id, flag_id) select ${requisitionId}::bigint, id from flag where code = 'DELIVERFAIL'
    on conflict do nothing`.execute(trx)
  const issueNote = `${reason.replace(/\.?$/, '.')} ${consequences[ending]}`
  await raiseIssue(trx, requisitionId, 'DELIVFAIL', { by: deliverer, issueDesc: what, issueNote })
}

/**
 * When row `d` was asked for, the practice or collaborator was to get the reports, and no longer is: 'Deliver To' of the collaborator, or
 * the collaborator of the requisition, has changed since. A correction goes to whoever has the report, also then.
 */
const isDropped = sql`(d.recipient_kind <> 'COPY' and d.state = 'FAILED' and not d.is_correction and exists (select from requisition q join collaborator o on o.id = q.collaborator_id
  where q.id = d.requisition_id and coalesce(o.report_deliver_to_code, 'CLIENT') not in (d.recipient_kind, 'BOTH')
    and (exists (select from audit_entry a where a.entity = 'collaborator' and a.entity_id = o.id and a.at >= d.requested_at
        and a.old_data ->> 'reportDeliverToCode' is distinct from a.new_data ->> 'reportDeliverToCode')
      or exists (select from audit_entry a where a.requisition_id = q.id and a.entity = 'requisition' and a.at >= d.requested_at and a.old_data ? 'colaName'))))`

/** A row `d` of the ledger that failed, for good or so far, and was not followed by one that arrived; nor is its receiver one who is to get nothing any more. */
export const isInTrouble = sql`((d.state = 'FAILED' or (d.state = 'PENDING' and d.failure is not null)) and not exists (select from report_delivery later
  where later.report_id = d.report_id and later.recipient_kind = d.recipient_kind and later.delivered_at is not null and later.id > d.id)
  and (d.recipient_kind <> 'COPY' or exists (select from requisition q where q.id = d.requisition_id and q.copy_to_client_id <> q.client_id)) and not ${isDropped})`

interface FailedDelivery {
  id: number
  requisition_id: number
  recipient_name: string | null
  recipient: string
}

/** A retry may come to its end after the report has arrived by another way, or when it is no longer to: then there is nothing to look after. */
export const showDeliveryFailure = async (trx: Trx, row: FailedDelivery, failure: Failure) => {
  const { rows } = await sql`select from report_delivery d where d.id = ${row.id}::bigint and ${isInTrouble}`.execute(
    trx,
  )
  if (rows.length === 0) return endFailures(trx, [row.requisition_id])
  await showFailure(trx, row.requisition_id, `The report could not be delivered to ${receiverOf(row)}`, failure)
}

export const receiverOf = ({ recipient_name, recipient }: Pick<FailedDelivery, 'recipient_name' | 'recipient'>) =>
  recipient_name ?? recipient

/** A message `m` that has failed at least once and has not left since. */
export const hasFailed = sql`(m.state = 'DEAD' or (m.state <> 'SENT' and exists (select from outbox_attempt a where a.message_id = m.id)))`

/** A notification `n` that did not reach a patient who wants to be told. */
const isUntold = sql`(${hasFailed} and not exists (select from requisition q join patient p on p.id = q.patient_id where q.id = n.requisition_id and p.is_notify_opt_out)
  and not exists (select from patient_notification later join outbox_message l on l.id = later.message_id
  where later.requisition_id = n.requisition_id and later.id > n.id and l.state = 'SENT'))`

/** The flag goes when everything that failed has arrived after all, or need not any more; its issue is then resolved. */
export const endFailures = async (trx: Trx, reqIds: readonly number[]) => {
  const { rows } = await sql<{ requisition_id: number }>`
    delete from requisition_flag f using flag k where k.id = f.flag_id and k.code = 'DELIVERFAIL' and f.requisition_id = any(${[...reqIds]}::bigint[])
      and not exists (select from report_delivery d where d.requisition_id = f.requisition_id and ${isInTrouble})
      and not exists (select from patient_notification n join outbox_message m on m.id = n.message_id where n.requisition_id = f.requisition_id and ${isUntold})
    returning f.requisition_id`.execute(trx)
  if (rows.length === 0) return
  const ended = rows.map((row) => row.requisition_id)
  await settleIssues(trx, ended, 'DELIVFAIL', deliverer)
}

/** The collaborator says otherwise who gets the reports: what could not reach one who no longer does is no trouble any more. */
export const followDeliverTo = async (trx: Trx, collaboratorId: number) => {
  const { rows } = await sql<{ id: number }>`
    select r.id from requisition r where r.collaborator_id = ${collaboratorId} and r.deleted_at is null
      and r.id in (select f.requisition_id from requisition_flag f join flag k on k.id = f.flag_id where k.code = 'DELIVERFAIL')
    order by r.id for no key update`.execute(trx)
  await endFailures(
    trx,
    rows.map(({ id }) => id),
  )
}

/** An interface that does not take a message is IT's to mend, whatever the delivery department does about the report. */
export const showInterfaceFailure = (trx: Trx, requisitionId: number, receiver: string, reason: string) =>
  raiseIssue(trx, requisitionId, 'INTERFACE', {
    by: deliverer,
    issueDesc: `The HL7 message to ${receiver} failed`,
    issueNote: reason,
  })

/** The interface has taken what it did not take before. A report that arrived by another way does not mend it. */
export const endInterfaceFailures = async (trx: Trx, reqIds: readonly number[]) => {
  if (reqIds.length === 0) return
  const { rows } = await sql<{ id: number }>`select id from unnest(${[...reqIds]}::bigint[]) as id
    where not exists (select from report_delivery d where d.requisition_id = id and d.transmit_method_code = 'HL7' and ${isInTrouble})`.execute(
    trx,
  )
  const ended = rows.map(({ id }) => id)
  await settleIssues(trx, ended, 'INTERFACE', deliverer)
}

/** Who has an earlier version and is no longer a receiver has to be told by a person, who then resolves it: nothing that arrives elsewhere does. */
export const showFormerReceiver = (trx: Trx, requisitionId: number, { what, note }: { what: string; note: string }) =>
  raiseIssue(trx, requisitionId, 'REPNOTREC', { by: deliverer, issueDesc: what, issueNote: note, isSeparate: true })
