import { sql } from 'kysely'
import { lockVisiblePatient, type PatientCall } from '../patients/service.ts'
import { mergePatients } from '../requisition-entry/merge-patients.ts'
import { namespaceOf } from './hl7-patient.ts'
import type { IncomingPatient, Problem } from './incoming-order.ts'
import { rememberPatient } from './make-order.ts'
import type { Choices, Settlement } from './message-store.ts'
import type { Partner } from './partner-queries.ts'
import { updatePatientData } from './patient-data.ts'
import { identityProblem, isOfPartner } from './patient-identity.ts'
import { conflictProblem, contradictions, findByIdentifiers } from './resolve-people.ts'

/** The planned effect of a patient message without an order. */
export interface PatientMessage {
  patient: IncomingPatient
  /** Of a merge: the retired numbers. */
  givenUp: readonly { identifier: string; authority: string }[] | null
}

const held = (problem: Problem, patientId: number | null = null) => ({ problems: [problem], patientId })
const paths = { patient: 'PID-3', name: 'PID-5', dob: 'PID-7' }
const conflictOf = (patient: IncomingPatient, message: string) => conflictProblem({ patient, paths }, message)

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

/** The message that makes two records one. */
export const mergeType = 'ADT^A40'

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
  const problem = await identityProblem(call, partner, before, { patient: sent, paths }, choices)
  if (problem) return held(problem, id)
  const requisitionId = await findLatestRequisition(call, partner, id)
  await updatePatientData(call, before, sent, requisitionId)
  return { problems: [], patientId: id, requisitionId }
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
      return held({ code: 'NEEDS_APPROVAL', path: 'MRG-1', value, message: 'Two patients are to be merged' }, keep)
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
