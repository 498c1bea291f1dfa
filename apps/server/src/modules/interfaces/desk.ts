import { can } from '@lis/contract/access/permissions.ts'
import type { Reprocessed, ReprocessInput } from '@lis/contract/interfaces.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { conflict, forbidden, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { MessageTools } from '../../platform/messaging/raw-message.ts'
import { isAboutPatient, isAboutPhysician } from './incoming-order.ts'
import { resolveMessageIssue } from './message-issues.ts'
import { listSameCauseIds } from './message-queries.ts'
import { type Choices, lockMessage, type Settlement, type StoredMessage, settleMessage } from './message-store.ts'
import { getPartnerById } from './partner-queries.ts'
import { addCodes } from './partners.ts'
import { mergeType } from './patient-message.ts'
import { releasePlacers } from './placers.ts'
import { processMessage } from './work.ts'

type DeskCall = WriteCall & { services: MessageTools }

/** Processes a held message again with the decision of the user; `alsoSame` also applies it to messages with the same cause. */
export const reprocess = async (call: DeskCall, id: number, input: ReprocessInput): Promise<Reprocessed> => {
  const { db } = call
  if (input.patientId !== null && input.newPatient === 1)
    throw invalid('newPatient', 'Either a known patient or a new one can be chosen')
  await requireChoices(call, input)
  // Read before anything is settled: afterwards they no longer share the cause.
  const others = input.alsoSame === 1 ? await listSameCauseIds(db, id) : []
  const message = await lockOpen(call, id)
  const former = message.causes
  const isMerge = message.message_type === mergeType
  if (isMerge && input.approve === 1 && !can(call.actor.role, 'patients.merge'))
    throw forbidden('Only an administrator or management merges two patients')
  if (message.partner_id === null || message.raw === null) throw conflict('The raw message has been deleted')
  await addCodes(call, message.partner_id, input.codes ?? [])
  const settled = await workAgain(call, message, choicesOf(input))
  const alsoSettled: number[] = []
  for (const other of others) {
    const one = await lockMessage(db, other)
    if (one?.state !== 'HELD' || one.raw === null) continue
    const { state } = await workAgain(call, one, sharedChoices(input, former, one.causes, settled))
    if (state === 'ACCEPTED') alsoSettled.push(other)
  }
  const after = (await lockMessage(db, id)) as StoredMessage
  const { state, reason, requisition_id: reqId, patient_id: patientId, problems } = after
  return { id, state, reason, reqId, patientId, problems, alsoSettled }
}

const requireChoices = async ({ db }: DeskCall, { physId, patientId }: ReprocessInput) => {
  const { rows } = await sql<{ has_physician: boolean; has_patient: boolean }>`
    select ${physId}::bigint is null or exists (select from physician where id = ${physId}::bigint and deleted_at is null) as has_physician,
      ${patientId}::bigint is null or exists (select from patient where id = ${patientId}::bigint and deleted_at is null) as has_patient`.execute(
    db,
  )
  if (!rows[0]?.has_physician) throw invalid('physId', 'Invalid Physician')
  if (!rows[0].has_patient) throw invalid('patientId', 'Invalid Patient')
}

const choicesOf = ({ physId, patientId, newPatient, approve }: ReprocessInput): Choices => ({
  ...(physId !== null && { physId }),
  ...(patientId !== null && { patientId }),
  ...(newPatient === 1 && { newPatient: true }),
  ...(approve === 1 && { approve: true }),
})

/** A decision applies to another message only if both have that cause. A new patient is made once for all of them. */
const sharedChoices = (
  input: ReprocessInput,
  causes: readonly string[],
  others: readonly string[],
  settled: Settlement,
): Choices => {
  const shared = causes.filter((cause) => others.includes(cause))
  const { physId, patientId = settled.state === 'ACCEPTED' ? settled.patientId : null, approve } = choicesOf(input)
  return {
    ...(physId !== undefined && shared.some(isAboutPhysician) && { physId }),
    ...(patientId != null && shared.some(isAboutPatient) && { patientId }),
    ...(approve && shared.some((cause) => cause.startsWith('NEEDS_APPROVAL|')) && { approve }),
  }
}

const lockOpen = async ({ db }: WriteCall, id: number): Promise<StoredMessage> => {
  const message = await lockMessage(db, id)
  if (!message) throw notFound('Message')
  const isOpen = message.direction === 'IN' && (message.state === 'HELD' || message.state === 'FAILED')
  if (!isOpen) throw conflict(`Message ${id} is not held`)
  return message
}

const workAgain = async (call: DeskCall, message: StoredMessage, chosen: Choices) => {
  const { db, actor, requestId, services } = call
  // A later choice of the patient replaces an earlier one.
  const isPatientChosen = chosen.patientId !== undefined || chosen.newPatient
  const { patientId, newPatient, ...others } = message.choices
  const kept = isPatientChosen
    ? others
    : { ...others, ...(patientId !== undefined && { patientId }), ...(newPatient && { newPatient }) }
  const choices: Choices = { ...kept, ...chosen }
  await sql`update interface_message set choices = ${JSON.stringify(choices)}::jsonb, failures = 0 where id = ${message.id}`.execute(
    db,
  )
  const partner = await getPartnerById(db, message.partner_id as number)
  await sql`select pg_advisory_xact_lock(hashtext('interface-work'), ${partner.id}::int)`.execute(db)
  const settlement = await processMessage(db, services, { ...message, choices }, partner)
  const requisitionId = settlement.requisitionId ?? null
  await recordAudit(db, actor, requestId, {
    entity: 'interface_message',
    entityId: message.id,
    ...(requisitionId !== null && { requisitionId }),
    action: 'REPROCESS',
    old: { state: message.state, reason: message.reason },
    new: { state: settlement.state, reason: settlement.reason, ...choices },
  })
  return settlement
}

/** Dismisses a held message without an effect; its placer numbers can be used again. */
export const dismiss = async (call: WriteCall, id: number, reason: string) => {
  const { db, actor, requestId } = call
  const message = await lockDismissable(call, id)
  await settleMessage(db, id, { state: 'DISMISSED', reason })
  await releasePlacers(db, id)
  await recordAudit(db, actor, requestId, {
    entity: 'interface_message',
    entityId: id,
    ...(message.requisition_id !== null && { requisitionId: message.requisition_id }),
    action: 'DISMISS',
    old: { state: message.state, reason: message.reason },
    new: { state: 'DISMISSED', reason },
    reason,
  })
  await resolveMessageIssue(db, message.requisition_id)
}

const lockDismissable = async ({ db }: WriteCall, id: number): Promise<StoredMessage> => {
  const message = await lockMessage(db, id)
  if (!message) throw notFound('Message')
  if (message.state !== 'HELD' && message.state !== 'FAILED') throw conflict(`Message ${id} is neither held nor failed`)
  return message
}
