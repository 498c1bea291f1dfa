import { superAdmins } from '@lis/contract/access/roles.ts'
import {
  identityFields,
  type Patient,
  type PatientInput,
  patientCodes,
  patientLabels,
  patientMessages,
} from '@lis/contract/patients.ts'
import type { PatientChange } from '@lis/contract/requisitions/patient-changes.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { raiseIssue } from '../issues/service.ts'
import { findRequisitionsOfPatient } from './identity.ts'

type Sent = Partial<PatientInput>
export type Facts = Record<string, string | null>

/** A change that waits for the laboratory's decision. */
export interface PendingChange {
  before: Facts
  after: Facts
}

/**
 * Splits a change into what may be written at once and what waits. A partner cannot change the identity of a patient whom others share:
 * that part waits for the laboratory, which sees it as an issue on the requisition.
 */
export const splitSharedFields = async (
  call: WriteCall,
  before: Patient,
  sent: Sent,
): Promise<{ allowed: Sent; waiting: PendingChange | null }> => {
  const everything = { allowed: sent, waiting: null }
  if (superAdmins.some((role) => role === call.actor.role)) return everything
  const changed = identityFields.filter((name) => sent[name] !== undefined && (sent[name] ?? null) !== before[name])
  if (changed.length === 0) return everything
  const { total, ids } = await findRequisitionsOfPatient(call, before.id)
  if (total <= ids.length) return everything
  if (changed.includes('patientSsn')) throw conflict(patientMessages.ssnShared)
  const of = (values: Sent | Patient) =>
    Object.fromEntries(changed.map((name) => [name, values[name] ?? null])) as Facts
  const allowed = Object.fromEntries(Object.entries(sent).filter(([name]) => !changed.some((one) => one === name)))
  return { allowed, waiting: { before: of(before), after: of(sent) } }
}

/** Submits a change to the laboratory for review. */
export const openReview = async (
  { db, actor, requestId }: WriteCall,
  requisitionId: number,
  patient: Patient,
  { before, after, reason }: PendingChange & { reason: string | undefined },
) => {
  const fields = await describedFields(db, before, after)
  const words = fields.map((one) => `${one.label}: ${dayText(one.before)} → ${dayText(one.after)}`)
  const issue = await raiseIssue(db, requisitionId, 'DEMOMISS', {
    by: actor.name,
    issueDesc: patientMessages.changeToReview,
    issueNote: words.join('; '),
    isSeparate: true,
  })
  const { id } = await db
    .insertInto('patient_change')
    .values({
      patient_id: patient.id,
      requisition_id: requisitionId,
      before: JSON.stringify(before),
      after: JSON.stringify(after),
      issue_id: issue?.id ?? null,
      requested_by: actor.userId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, {
    entity: 'patient_change',
    entityId: id,
    requisitionId,
    action: 'CREATE',
    old: before,
    new: after,
    reason,
  })
}

/** Old and requested values by field. */
export const fieldsOf = (before: Facts, after: Facts): PatientChange['fields'] =>
  identityFields
    .filter((field) => field in after)
    .map((field) => ({
      field,
      label: patientLabels[field],
      before: before[field] ?? null,
      after: after[field] ?? null,
    }))

/** The same with descriptions instead of codes. */
export const describedFields = async (db: Db, before: Facts, after: Facts): Promise<PatientChange['fields']> => {
  const rows = await db
    .selectFrom('lov')
    .select(['type_code', 'code', 'description'])
    .where('type_code', 'in', Object.values(patientCodes))
    .execute()
  return fieldsOf(before, after).map((one) => {
    const type = Object.hasOwn(patientCodes, one.field) ? patientCodes[one.field as keyof typeof patientCodes] : null
    const named = (value: string | null) =>
      rows.find((row) => row.type_code === type && row.code === value)?.description ?? value
    return { ...one, before: named(one.before), after: named(one.after) }
  })
}

const dayText = (value: string | null) => value?.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$2/$3/$1') ?? '–'
