import type { Patient } from '@lis/contract/patients.ts'
import type { RequisitionInput } from '@lis/contract/requisitions/create.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCallWithQuestions } from '../../platform/http/implement.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { changePatient, createPatient, lockVisiblePatient, type PatientCall } from '../patients/service.ts'
import { askIdentity, askSamePatient, askWhichPerson } from './identity.ts'
import { type PendingChange, splitSharedFields } from './patient-review.ts'

/** The patient of the order: a new one (null), a known one, or a known one whose record it corrects. */
export interface PatientChoice {
  known: Patient | null
  isEdited: boolean
  /** Who it may be, while that is still asked. */
  candidates?: readonly number[]
}

/** Determines the patient and asks where that is in doubt; loads pass no questions. Writes nothing. */
export const choosePatient = async (
  call: PatientCall,
  input: RequisitionInput,
  questions: Questions | undefined,
): Promise<PatientChoice> => {
  const { patientId, isNewPatient, isPatientEdited, patientVersion } = input
  if (patientId === null || isNewPatient === 1) {
    if (isNewPatient === 1 || !questions) return { known: null, isEdited: false }
    const { answer, candidates } = await askSamePatient({ ...call, questions }, input)
    if (typeof answer === 'number') return { known: await lockVisiblePatient(call, answer), isEdited: false }
    return { known: null, isEdited: false, candidates: answer === undefined ? candidates : [] }
  }
  const known = await lockVisiblePatient(call, patientId)
  if (isPatientEdited === 1 && questions) return chooseEdited({ ...call, questions }, input, known)
  if (isPatientEdited === 1) return { known, isEdited: true }
  const isOther = (['patientFirstName', 'patientLastName', 'patientDob'] as const).some(
    (name) => known[name] !== input[name],
  )
  if (!isOther) return { known, isEdited: false }
  // The record may have been corrected since it was chosen; whose sample this is must not be guessed. A caller that sends the version it
  // saw gets both versions to compare; choosing the same row again would only repeat the request.
  await requireVersion(call.db, 'patient', patientVersion, known)
  throw conflict("The patient's record is different by now. Please choose the patient again.")
}

const chooseEdited = async (
  call: PatientCall & WriteCallWithQuestions,
  input: RequisitionInput,
  known: Patient,
): Promise<PatientChoice> => {
  await requireVersion(call.db, 'patient', input.patientVersion, known)
  const who = await askIdentity(call, known, patientOf(input), undefined)
  if (who !== 'OTHER_PERSON') return { known, isEdited: true }
  const other = await askWhichPerson(call, known, input)
  return { known: typeof other === 'number' ? await lockVisiblePatient(call, other) : null, isEdited: false }
}

interface Written {
  requisitionId: number
  questions: Questions | undefined
  onChanged: ((before: Patient, after: Patient) => Promise<void>) | undefined
}

/** Writes the patient of the order as chosen. */
export const writePatient = async (
  call: PatientCall,
  input: RequisitionInput,
  { known, isEdited }: PatientChoice,
  { requisitionId, questions, onChanged }: Written,
): Promise<{ patient: Patient; waiting: PendingChange | null }> => {
  const sent = patientOf(input)
  const trace = { requisitionId, reason: questions?.history }
  if (!known) return { patient: await createPatient(call, sent, trace), waiting: null }
  if (!isEdited) return { patient: known, waiting: null }
  const { allowed, waiting } = await splitSharedFields(call, known, sent)
  const changed = await changePatient(call, known, allowed, input.patientVersion, trace)
  await onChanged?.(known, changed)
  return { patient: changed, waiting }
}

export const patientOf = (input: RequisitionInput) => ({
  patientFirstName: input.patientFirstName,
  patientMiddleName: input.patientMiddleName,
  patientLastName: input.patientLastName,
  patientDob: input.patientDob,
  patientGenderCode: input.patientGenderCode,
  patientRaceCode: input.patientRaceCode,
  patientEthnicityCode: input.patientEthnicityCode,
  patientSsn: input.patientSsn,
})
