import type { FieldError } from '@lis/contract/kit/errors.ts'
import { type Patient, type PatientInput, patientLabels, patientShape } from '@lis/contract/patients.ts'
import { invalidFields } from '../../platform/errors.ts'
import { validationMessages } from '../../platform/validation-messages.ts'
import { changePatient, type PatientCall } from '../patients/service.ts'
import { propagatePatient } from '../requisition-entry/propagate-changes.ts'
import type { IncomingPatient } from './incoming-order.ts'
import { readContact } from './patient-contact.ts'

/** Changes the record of a known patient as the message says, with the same consequences as a change on the screen. */
export const updatePatientData = async (
  call: PatientCall,
  before: Patient,
  sent: IncomingPatient,
  requisitionId: number | null,
): Promise<Patient> => {
  const change = { ...identityOf(sent), ...(await readContact(call.db, before, sent)) }
  const after = await changePatient(call, before, change, null, { ...(requisitionId !== null && { requisitionId }) })
  await propagatePatient(call, before, after)
  return after
}

type Identity = Partial<
  Pick<PatientInput, 'patientFirstName' | 'patientMiddleName' | 'patientLastName' | 'patientDob' | 'patientGenderCode'>
>

/** The identity as sent; a name, birth date or sex cannot be cleared. */
export const identityOf = (sent: IncomingPatient): Identity => {
  const given = {
    patientFirstName: sent.firstName || undefined,
    patientMiddleName: sent.middleName,
    patientLastName: sent.lastName || undefined,
    patientDob: sent.dob ?? undefined,
    patientGenderCode: sent.sex ?? undefined,
  }
  const identity: Record<string, unknown> = {}
  const faults: FieldError[] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const field = name as keyof typeof given
    const parsed = patientShape[field].safeParse(value, validationMessages)
    if (parsed.success) identity[field] = parsed.data
    else faults.push({ field, message: parsed.error.issues[0]?.message ?? `Invalid ${patientLabels[field]}` })
  }
  if (faults.length > 0) throw invalidFields(faults)
  return identity as Identity
}
