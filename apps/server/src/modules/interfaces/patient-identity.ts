import type { Patient } from '@lis/contract/patients.ts'
import { sql } from 'kysely'
import type { PatientCall } from '../patients/service.ts'
import { changedIdentity } from '../requisition-entry/identity.ts'
import type { IncomingOrder, IncomingPatient, Problem } from './incoming-order.ts'
import type { Choices } from './message-store.ts'
import type { Partner } from './partner-queries.ts'
import { identityOf } from './patient-data.ts'
import { conflictProblem } from './resolve-people.ts'

interface Sent {
  patient: IncomingPatient
  paths: Pick<IncomingOrder['paths'], 'patient' | 'name' | 'dob'>
}

/** A change of who the patient is, where a person has to say whether it is the same one. */
export const identityProblem = async (
  call: PatientCall,
  partner: Partner,
  before: Patient,
  sent: Sent,
  choices: Choices,
): Promise<Problem | null> => {
  const after = { ...before, ...identityOf(sent.patient) }
  const changed = await changedIdentity(call.db, before, after)
  const isSexOther = after.patientGenderCode !== before.patientGenderCode
  if (changed.length === 0 && !isSexOther) return null
  const isConfirmed = choices.approve || choices.patientId === before.id
  if (changed.length + (isSexOther ? 1 : 0) >= 2 && !isConfirmed)
    return conflictProblem(sent, 'The patient of this identifier would become another person')
  if (!choices.approve && (await isSharedWithOthers(call, partner, before.id)))
    return { code: 'NEEDS_APPROVAL', path: sent.paths.name, value: '', message: 'Others share this patient' }
  if (after.patientDob !== before.patientDob && (await isCollectedBefore(call, before.id, after.patientDob)))
    return {
      code: 'NOT_ALLOWED_NOW',
      path: sent.paths.dob,
      value: '',
      message: 'A sample of this patient was collected before this birth date',
    }
  return null
}

export const isOfPartner = ({ client_id: clientId, collaborator_id: colaId }: Partner) =>
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
