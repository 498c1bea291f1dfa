import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import { refusals } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { queueMessage } from '../../platform/messaging/outbox.ts'
import { isDemographicQcReopened } from '../requisition-record/queries.ts'
import { clearResolvedFailures, deliveryActorName, type Failure, flagFailure } from './failures.ts'

interface Candidate {
  id: number
  label: string
  email: string | null
  phone: string | null
  is_opt_out: boolean
  is_out: boolean
  is_unchecked: boolean
  client: string
}

const findCandidates = async (trx: Trx, ids: readonly number[]) => {
  // Row-level security leaves out requisitions outside the person's scope.
  const { rows } = await sql<Candidate>`
    select r.id, '#' || r.id || ' | ' || p.last_name || ', ' || p.first_name || ' (' || to_char(p.dob, 'MM/DD/YYYY') || ')' as label,
      nullif(p.email, '') as email, nullif(p.home_phone, '') as phone, p.is_notify_opt_out as is_opt_out, c.name as client,
      exists (select from report x where x.requisition_id = r.id and x.deleted_at is null and x.lab_qc_status_code = 'RELEASE') as is_out,
      ${isDemographicQcReopened} as is_unchecked
    from requisition r join requisition_patient p on p.requisition_id = r.id join client c on c.id = r.client_id
    where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

const refusalOf = (id: number, candidate: Candidate | undefined): Omit<Refusal, 'id' | 'label'> | null => {
  if (!candidate) return { reason: `Requisition #${id} not found`, tabSlug: null }
  if (!candidate.is_out)
    return { reason: `Requisition #${id} has no report with lab QC result RELEASE`, tabSlug: 'reportsDelivery' }
  if (candidate.is_unchecked) return { reason: refusals.demographicQcPassed(id), tabSlug: 'reportsDelivery' }
  if (candidate.is_opt_out) return { reason: `The patient of #${id} does not want to be notified`, tabSlug: 'view' }
  if (!candidate.email && !candidate.phone)
    return { reason: `The patient of #${id} has no e-mail address and no home phone`, tabSlug: 'view' }
  return null
}

const splitByRefusal = (ids: readonly number[], candidates: Map<number, Candidate>): Outcome => {
  const outcome: Outcome = { moved: [], refused: [] }
  for (const id of ids) {
    const why = refusalOf(id, candidates.get(id))
    if (why) outcome.refused.push({ id, label: candidates.get(id)?.label ?? `#${id}`, ...why })
    else outcome.moved.push(id)
  }
  return outcome
}

export const planNotifications = async ({ db }: WriteCall, ids: readonly number[]) =>
  splitByRefusal(ids, await findCandidates(db, ids))

/** The message says that results are ready; it names neither results nor tests. */
export const notifyPatients = async ({ db, actor, requestId }: WriteCall, ids: readonly number[]): Promise<Outcome> => {
  const candidates = await findCandidates(db, ids)
  const outcome = splitByRefusal(ids, candidates)
  for (const id of outcome.moved) {
    const { email, phone, client } = candidates.get(id) as Candidate
    const { id: messageId } = await queueMessage(db, {
      channel: email ? 'EMAIL' : 'SMS',
      to: email ?? phone ?? '',
      ...(email && { subject: 'Your laboratory results are ready' }),
      body: `Your laboratory results are ready. Please contact ${client}.`,
    })
    await db
      .insertInto('patient_notification')
      .values({ requisition_id: id, message_id: messageId, requested_by: actor.userId })
      .execute()
  }
  await recordAudit(
    db,
    actor,
    requestId,
    outcome.moved.map((id) => ({
      entity: 'requisition',
      entityId: id,
      requisitionId: id,
      action: 'DELIVERY',
      new: { patientNotified: candidates.get(id)?.email ? 'EMAIL' : 'SMS' },
    })),
  )
  return outcome
}

/** A patient who could not be notified has to be called: flags the requisition, and adds a final failure to its history. */
export const recordNotificationOutcome = async (trx: Trx, messageId: number, failure: Failure | null) => {
  const { rows } = await sql<{ requisition_id: number; channel: string }>`
    select n.requisition_id, m.channel from patient_notification n join outbox_message m on m.id = n.message_id
    where n.message_id = ${messageId}::bigint`.execute(trx)
  for (const { requisition_id: requisitionId, channel } of rows) {
    if (!failure) {
      await clearResolvedFailures(trx, [requisitionId])
      continue
    }
    if (failure.kind !== 'RETRY')
      await recordAudit(trx, { userId: null, name: deliveryActorName }, null, {
        entity: 'requisition',
        entityId: requisitionId,
        requisitionId,
        action: 'DELIVERY',
        new: { patientNotNotified: channel },
        reason: failure.reason,
      })
    await flagFailure(trx, requisitionId, 'The patient could not be notified', failure)
  }
}

interface Waiting {
  requisition_id: number
  is_deleted: boolean
  is_out: boolean
  is_unchecked: boolean
  is_opt_out: boolean
  is_address: boolean
}

/** Why the notification must not be sent any more, or null. */
const findWithdrawalReason = async (db: Db, messageId: number) => {
  const { rows } = await sql<Waiting>`
    select n.requisition_id, r.deleted_at is not null as is_deleted, p.is_notify_opt_out as is_opt_out,
      coalesce(m.recipient = case m.channel when 'EMAIL' then p.email::text else p.home_phone end, false) as is_address,
      exists (select from report x where x.requisition_id = r.id and x.deleted_at is null and x.lab_qc_status_code = 'RELEASE') as is_out,
      ${isDemographicQcReopened} as is_unchecked
    from patient_notification n join outbox_message m on m.id = n.message_id join requisition r on r.id = n.requisition_id join requisition_patient p on p.requisition_id = r.id
    where n.message_id = ${messageId}::bigint`.execute(db)
  const [row] = rows
  if (!row) return null
  const id = row.requisition_id
  // The first two need nobody's attention.
  if (row.is_deleted) return { id, why: 'the requisition has been deleted', isOver: true }
  if (row.is_opt_out) return { id, why: 'the patient does not want to be notified', isOver: true }
  if (!row.is_out) return { id, why: 'no report is released any more; notify again', isOver: false }
  if (row.is_unchecked) return { id, why: `${refusals.demographicQcPassed(id)}; notify again`, isOver: false }
  if (!row.is_address) return { id, why: 'the patient or the address has changed; notify again', isOver: false }
  return null
}

/** The last check before an attempt to notify the patient. True when the message must not be sent. */
export const withdrawNotification = async (db: Db, messageId: number): Promise<boolean> => {
  const seen = await findWithdrawalReason(db, messageId)
  if (!seen) return false
  return db.transaction().execute(async (trx) => {
    await sql`select 1 from requisition where id = ${seen.id}::bigint for no key update`.execute(trx)
    const found = await findWithdrawalReason(trx, messageId)
    if (!found) return false
    // Skips a locked message: its sender waits for the requisition that is locked here.
    const { rows } = await sql`update outbox_message set state = 'DEAD'
      where id = (select id from outbox_message where id = ${messageId}::bigint for no key update skip locked) returning id`.execute(
      trx,
    )
    if (rows.length === 0) return true
    const reason = `Withdrawn: ${found.why}`
    await trx.insertInto('outbox_attempt').values({ message_id: messageId, succeeded: false, detail: reason }).execute()
    if (found.isOver) await clearResolvedFailures(trx, [found.id])
    else await recordNotificationOutcome(trx, messageId, { reason, kind: 'FAILED', isFirst: true })
    return true
  })
}
