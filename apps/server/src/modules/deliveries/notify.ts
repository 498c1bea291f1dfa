import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { queueMessage } from '../../platform/messaging/outbox.ts'
import { deliverer, endFailures, type Failure, showFailure } from './failures.ts'

interface Candidate {
  id: number
  label: string
  email: string | null
  phone: string | null
  is_opt_out: boolean
  is_out: boolean
  client: string
}

const findCandidates = async (trx: Trx, ids: readonly number[]) => {
  // Row-level security leaves out what the person may not see.
  const { rows } = await sql<Candidate>`
    select r.id, '#' || r.id || ' | ' || p.last_name || ', ' || p.first_name || ' (' || to_char(p.dob, 'MM/DD/YYYY') || ')' as label,
      nullif(p.email, '') as email, nullif(p.home_phone, '') as phone, p.is_notify_opt_out as is_opt_out, c.name as client,
      exists (select from report x where x.requisition_id = r.id and x.deleted_at is null and x.lab_qc_status_code = 'RELEASE') as is_out
    from requisition r join patient p on p.id = r.patient_id join client c on c.id = r.client_id
    where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null`.execute(trx)
  return new Map(rows.map((row) => [row.id, row]))
}

const refusalOf = (id: number, candidate: Candidate | undefined): Omit<Refusal, 'id' | 'label'> | null => {
  if (!candidate) return { reason: `Requisition #${id} not found`, tabSlug: null }
  if (!candidate.is_out)
    return { reason: `Requisition #${id} has no report with lab QC result RELEASE`, tabSlug: 'reportsDelivery' }
  if (candidate.is_opt_out) return { reason: `The patient of #${id} does not want to be notified`, tabSlug: 'view' }
  if (!candidate.email && !candidate.phone)
    return { reason: `The patient of #${id} has no e-mail address and no home phone`, tabSlug: 'view' }
  return null
}

const decide = (ids: readonly number[], candidates: Map<number, Candidate>): Outcome => {
  const outcome: Outcome = { moved: [], refused: [] }
  for (const id of ids) {
    const why = refusalOf(id, candidates.get(id))
    if (why) outcome.refused.push({ id, label: candidates.get(id)?.label ?? `#${id}`, ...why })
    else outcome.moved.push(id)
  }
  return outcome
}

export const planNotifications = async ({ db }: WriteCall, ids: readonly number[]) =>
  decide(ids, await findCandidates(db, ids))

/** Tells that results are ready, never the results, and not even of which test. */
export const notifyPatients = async ({ db, actor, requestId }: WriteCall, ids: readonly number[]): Promise<Outcome> => {
  const candidates = await findCandidates(db, ids)
  const outcome = decide(ids, candidates)
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

/** A patient who could not be told waits for a call: the requisition shows it, and what was given up stands in its history. */
export const followNotification = async (trx: Trx, messageId: number, failure: Failure | null) => {
  const { rows } = await sql<{ requisition_id: number; channel: string }>`
    select n.requisition_id, m.channel from patient_notification n join outbox_message m on m.id = n.message_id
    where n.message_id = ${messageId}::bigint`.execute(trx)
  for (const { requisition_id: requisitionId, channel } of rows) {
    if (!failure) {
      await endFailures(trx, [requisitionId])
      continue
    }
    if (failure.ending !== 'RETRY')
      await recordAudit(trx, { userId: null, name: deliverer }, null, {
        entity: 'requisition',
        entityId: requisitionId,
        requisitionId,
        action: 'DELIVERY',
        new: { patientNotNotified: channel },
        reason: failure.reason,
      })
    await showFailure(trx, requisitionId, 'The patient could not be notified', failure)
  }
}
