import { sql } from 'kysely'
import { lockVisiblePatient, type PatientCall } from '../patients/service.ts'
import { changedIdentity } from '../requisition-entry/identity.ts'
import { mergePatients } from '../requisition-entry/merge-patients.ts'
import { namespaceOf } from './hl7-patient.ts'
import type { IncomingPatient, Problem } from './incoming-order.ts'
import { rememberPatient } from './make-order.ts'
import type { Choices, Settlement } from './message-store.ts'
import type { Partner } from './partner-queries.ts'
import { identityOf, updatePatientData } from './patient-data.ts'
import { contradictions, findByIdentifiers } from './resolve-people.ts'

/** The planned effect of a patient message without an order. */
export interface PatientMessage {
  patient: IncomingPatient
  /** Of a merge: the retired numbers. */
  givenUp: readonly { identifier: string; authority: string }[] | null
}

const held = (problem: Problem, patientId: number | null = null) => ({ problems: [problem], patientId })
const conflictOf = (sent: IncomingPatient, message: string): Problem => ({
  code: 'PATIENT_CONFLICT',
  path: 'PID-3',
  value: sent.identifiers[0]?.identifier ?? '',
  message,
})

type Result = Pick<Settlement, 'requisitionId' | 'patientId'> & { problems: Problem[]; reason?: string }

export const workPatientMessage = (
  call: PatientCall,
  partner: Partner,
  message: PatientMessage,
  choices: Choices,
): Promise<Result> =>
  message.givenUp
    ? merge(call, partner, message.patient, message.givenUp, choices)
    : update(call, partner, message.patient, choices)

/** The field of a message that names the retired record. */
export const mergePath = 'MRG-1'

const neverSent = 'This interface has sent no order of this patient'

const update = async (
  call: PatientCall,
  partner: Partner,
  sent: IncomingPatient,
  choices: Choices,
): Promise<Result> => {
  const found = await findByIdentifiers(call.db, partner.id, sent.identifiers)
  const [id] = found
  if (id === undefined) return { problems: [], reason: neverSent }
  if (found.length > 1) return held(conflictOf(sent, 'The identifiers belong to different patients'))
  const before = await lockVisiblePatient(call, id)
  const problem = await identityProblem(call, partner, before, sent, choices)
  if (problem) return held(problem, id)
  const requisitionId = await findLatestRequisition(call, partner, id)
  await updatePatientData(call, before, sent, requisitionId)
  return { problems: [], patientId: id, requisitionId }
}

/** A change of the identity, where a user has to decide whether it is the same person. */
const identityProblem = async (
  call: PatientCall,
  partner: Partner,
  before: Awaited<ReturnType<typeof lockVisiblePatient>>,
  sent: IncomingPatient,
  choices: Choices,
): Promise<Problem | null> => {
  const after = { ...before, ...identityOf(sent) }
  const changed = await changedIdentity(call.db, before, after)
  const isSexOther = after.patientGenderCode !== before.patientGenderCode
  if (changed.length === 0 && !isSexOther) return null
  const isConfirmed = choices.approve || choices.patientId === before.id
  if (changed.length + (isSexOther ? 1 : 0) >= 2 && !isConfirmed)
    return conflictOf(sent, 'The patient of this identifier would become another person')
  if (!choices.approve && (await isSharedWithOthers(call, partner, before.id)))
    return { code: 'NEEDS_APPROVAL', path: 'PID-5', value: '', message: 'Others share this patient' }
  if (after.patientDob !== before.patientDob && (await isCollectedBefore(call, before.id, after.patientDob)))
    return {
      code: 'NOT_ALLOWED_NOW',
      path: 'PID-7',
      value: '',
      message: 'A sample of this patient was collected before this birth date',
    }
  return null
}

const isOfPartner = ({ client_id: clientId, collaborator_id: colaId }: Partner) =>
  clientId !== null ? sql`r.client_id = ${clientId}` : sql`r.collaborator_id = ${colaId}`

const isSharedWithOthers = async ({ db }: PatientCall, partner: Partner, patientId: number): Promise<boolean> => {
  const { rows } = await sql`select from requisition r where r.patient_id = ${patientId} and r.deleted_at is null
    and not (${isOfPartner(partner)}) limit 1`.execute(db)
  return rows.length > 0
}

const isCollectedBefore = async ({ db }: PatientCall, patientId: number, dob: string): Promise<boolean> => {
  const { rows } = await sql`select from requisition r where r.patient_id = ${patientId} and r.deleted_at is null
    and (r.collected_at at time zone r.collected_zone)::date < ${dob}::date limit 1`.execute(db)
  return rows.length > 0
}

const findLatestRequisition = async (
  { db }: PatientCall,
  partner: Partner,
  patientId: number,
): Promise<number | null> => {
  const { rows } = await sql<{
    id: number
  }>`select r.id from requisition r where r.patient_id = ${patientId} and r.deleted_at is null
    and ${isOfPartner(partner)} order by r.id desc limit 1`.execute(db)
  return rows[0]?.id ?? null
}

/** Two records are merged only after a user has approved it; a changed number alone is applied. */
const merge = async (
  call: PatientCall,
  partner: Partner,
  kept: IncomingPatient,
  givenUp: readonly { identifier: string; authority: string }[],
  choices: Choices,
): Promise<Result> => {
  const { db } = call
  const [gone, ...more] = await findByIdentifiers(db, partner.id, givenUp)
  if (gone === undefined) return { problems: [], reason: neverSent }
  const present = await findByIdentifiers(db, partner.id, kept.identifiers)
  const [keep, ...others] = present
  if (more.length > 0 || others.length > 0)
    return held(conflictOf(kept, 'The identifiers belong to different patients'), keep ?? gone)
  if (keep !== undefined && keep !== gone) {
    const value = givenUp[0]?.identifier ?? ''
    if (!choices.approve)
      return held({ code: 'NEEDS_APPROVAL', path: mergePath, value, message: 'Two patients are to be merged' }, keep)
    await mergePatients(call, { keepId: keep, goneId: gone, fields: {}, dryRun: false })
    return { problems: [], patientId: keep }
  }
  const patient = await lockVisiblePatient(call, gone)
  const differences = await contradictions(db, patient, kept)
  if (differences.length > 0)
    return held(conflictOf(kept, `The patient of this identifier has another ${differences.join(', another ')}`), gone)
  for (const { identifier, authority } of givenUp)
    await sql`delete from interface_patient where partner_id = ${partner.id} and identifier = ${identifier} and patient_id = ${gone}
      and authority in (${authority}, ${namespaceOf(authority) || authority})`.execute(db)
  await rememberPatient(db, partner.id, kept.identifiers, gone)
  return { problems: [], patientId: gone }
}
