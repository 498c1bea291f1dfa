import { can } from '@lis/contract/access/permissions.ts'
import { messages } from '@lis/contract/messages.ts'
import { identityFields, type Patient, type PatientCoreInput, patientMessages } from '@lis/contract/patients.ts'
import type { HistoryUpdate, IdentityUpdate, PatientUpdate } from '@lis/contract/requisitions/edit.ts'
import { displayStatus, isEditable } from '@lis/contract/requisitions/status.ts'
import { dayAt } from '@lis/contract/zoned-time.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall, WriteCallWithQuestions } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { clearSelfGuarantor } from '../billing/service.ts'
import { findCurrentId } from '../patients/queries.ts'
import {
  changePatient,
  createPatient,
  getPatient,
  lockVisiblePatient,
  type PatientCall,
  revealSsn,
} from '../patients/service.ts'
import { lockRequisition, type RequisitionHead, requireRequisition } from '../requisition-record/queries.ts'
import { findHistory, writeHistory } from './clinical-history.ts'
import { requireEditable } from './edit.ts'
import { askBirthDay, askIdentity, askWhichPerson } from './identity.ts'
import { openReview, splitSharedFields } from './patient-review.ts'
import { dropKeptIdentity, propagateNewPatient, propagatePatient } from './propagate-changes.ts'

type PatientEdit = PatientCall & WriteCallWithQuestions
type Height = 'heightUom' | 'heightInches' | 'heightCm'
type SentPatient = Omit<PatientUpdate, Height | 'isNewPatient' | 'seenPatientId'>

/** Changes the patient of a requisition, gives it another known one, or a new one. */
export const updatePatient = async (
  call: PatientEdit,
  id: number,
  named: number,
  { isNewPatient, seenPatientId, ...sent }: Omit<PatientUpdate, Height>,
  expected: number | null,
): Promise<{ patient: Patient; isForReview: boolean }> => {
  const head = await lockRequisition(call.db, call.actor, id)
  const patientId = await findCurrentId(call.db, named)
  if (seenPatientId !== undefined && (await findCurrentId(call.db, seenPatientId)) !== head.patient_id)
    await refuseOutdated(call, head)
  const isOther = isNewPatient === 1 || patientId !== head.patient_id
  // After Processing the billing tab still corrects where the patient can be reached (PAT-G11).
  if (isOther || !can(call.actor.role, 'billing.editPatient')) requireEditable(id, head.status_code)
  if (isNewPatient === 1) {
    const former = await getPatient(call, head.patient_id)
    askBirthDay(call, sent.patientDob, former.patientDob)
    call.questions.requireAnswers()
    return { patient: await assignNewPatient(call, head, former, sent), isForReview: false }
  }
  const before = await lockVisiblePatient(call, patientId)
  if (!isEditable(head.status_code)) requireSameIdentity(head, before, sent)
  const dob = sent.patientDob ?? before.patientDob
  if (isOther || dob !== before.patientDob) requireBornBefore(head, dob)
  await requireVersion(call.db, 'patient', expected, before)
  const who = await askIdentity(call, before, sent, id)
  const other =
    who === 'OTHER_PERSON' ? await askWhichPerson(call, before, { ...before, ...definedOf(sent) }) : undefined
  askBirthDay(call, sent.patientDob, before.patientDob)
  call.questions.requireAnswers()
  if (other !== undefined) {
    const patient =
      other === 'NEW' ? await assignNewPatient(call, head, before, sent) : await assignKnownPatient(call, head, other)
    return { patient, isForReview: false }
  }
  const { allowed, waiting } = await splitSharedFields(call, before, sent)
  const after = await changePatient(call, before, allowed, expected, {
    requisitionId: id,
    reason: call.questions.history,
  })
  await propagatePatient(call, before, after)
  if (isOther) await assignPatient(call, head, after)
  else if (isEditable(head.status_code) && identityFields.some((name) => allowed[name] !== undefined))
    await dropKeptIdentity(call, head, after)
  if (waiting) await openReview(call, id, after, { ...waiting, reason: call.questions.history })
  return { patient: after, isForReview: waiting !== null }
}

/** Changes who the requisition's own patient is, and nothing else of the record (DAY-15). */
export const correctIdentity = async (
  call: PatientEdit,
  id: number,
  patientId: number,
  sent: IdentityUpdate,
  expected: number | null,
): Promise<{ patient: Patient; isForReview: boolean }> => {
  const head = await lockRequisition(call.db, call.actor, id)
  requireEditable(id, head.status_code)
  if ((await findCurrentId(call.db, patientId)) !== head.patient_id) throw notFound('Patient')
  return updatePatient(call, id, patientId, { ...sent, isNewPatient: 0 }, expected)
}

/** A new patient from the former one's data and what is sent. */
const assignNewPatient = async (call: PatientEdit, head: RequisitionHead, former: Patient, sent: SentPatient) => {
  // Without the former patient's contact data: results must not be announced there.
  const { patientSsn: _, patientEmail: __, patientHomePhone: ___, patientWorkPhone: ____, ...known } = former
  const input = { ...known, ...definedOf(sent) } as PatientCoreInput
  requireBornBefore(head, input.patientDob)
  const made = await createPatient(call, input, {
    requisitionId: head.id,
    reason: call.questions.history,
  })
  await assignPatient(call, head, made)
  return made
}

/** The requisition belongs to another known patient: neither record changes. */
const assignKnownPatient = async (call: PatientEdit, head: RequisitionHead, patientId: number) => {
  const patient = await lockVisiblePatient(call, patientId)
  requireBornBefore(head, patient.patientDob)
  await assignPatient(call, head, patient)
  return patient
}

const definedOf = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>

/** Without `current`: there is nothing to merge between two people. */
const refuseOutdated = async ({ db }: PatientCall, head: RequisitionHead) => {
  const { patientLastName, patientFirstName } = await getPatient({ db }, head.patient_id)
  throw conflict(patientMessages.givenTo(head.id, `${patientLastName}, ${patientFirstName}`))
}

const requireSameIdentity = (head: RequisitionHead, before: Patient, sent: SentPatient) => {
  // Only the last digits of the social security number are known here, so any complete one counts as a change.
  const changed = identityFields.some((name) => sent[name] !== undefined && (sent[name] ?? null) !== before[name])
  if (changed)
    throw conflict(
      `Requisition #${head.id} is ${displayStatus(head.status_code)}: who its patient is can no longer be changed`,
    )
}

/** In the time zone of the collection. Checked only when the date of birth changes: an old error must not block a new address. */
const requireBornBefore = ({ collected_at: collected, collected_zone: zone }: RequisitionHead, dob: string) => {
  if (dob > dayAt(Date.now(), zone)) throw invalid('patientDob', messages.dateInFuture)
  if (dob > dayAt(collected, zone)) throw invalid('patientDob', messages.collectedBeforeBirth)
}

/** The order's insurances came with its paper, so they move with it. Demographic QC checked another person and is reset. */
const assignPatient = async (call: WriteCallWithQuestions, head: RequisitionHead, patient: Patient) => {
  const { db, actor, requestId } = call
  const old = await getPatient({ db }, head.patient_id)
  // First: readers with a narrow scope see nothing in the history from before the change of patient.
  await clearSelfGuarantor(call, head.id)
  const { rows } = await sql<{ was_passed: boolean }>`
    update requisition r set patient_id = ${patient.id}, is_dem_qc_pass = false, version = version + 1
    from (select id, is_dem_qc_pass from requisition where id = ${head.id}) o where r.id = o.id returning o.is_dem_qc_pass as was_passed`.execute(
    db,
  )
  const qc = (isPassed: 0 | 1) => (rows[0]?.was_passed ? { isDemQcPass: isPassed } : {})
  await sql`update insurance set patient_id = ${patient.id} where billing_id in (select id from billing where requisition_id = ${head.id})`.execute(
    db,
  )
  const named = ({ id, patientLastName, patientFirstName, patientDob }: Patient) => ({
    patientId: id,
    patientName: `${patientLastName}, ${patientFirstName}`,
    patientDob,
  })
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: head.id,
    requisitionId: head.id,
    action: 'EDIT',
    old: { ...named(old), ...qc(1) },
    new: { ...named(patient), ...qc(0) },
    reason: call.questions.history,
  })
  await propagateNewPatient(call, head.id)
}

export const updateHistory = async (
  call: WriteCall,
  id: number,
  histId: number,
  sent: HistoryUpdate,
  expected: number | null,
) => {
  const { status_code: status } = await lockRequisition(call.db, call.actor, id)
  if (histId !== id) throw notFound('Patient history')
  requireEditable(id, status)
  return writeHistory(call, id, sent, expected)
}

/** The height may be sent with the patient; it is stored in the clinical history of the requisition. */
export const updateHeight = async (
  call: WriteCall,
  id: number,
  sent: Pick<HistoryUpdate, 'heightUom' | 'heightInches' | 'heightCm'>,
) => {
  const isSent = Object.values(sent).some((value) => value !== undefined)
  return isSent ? updateHistory(call, id, id, sent, null) : findHistory(call.db, id)
}

export const showSsn = async (call: PatientCall, id: number, patientId: number) => {
  // Reads the requisition without locking it: nothing of it is written.
  const head = await requireRequisition(call.db, call.actor, id)
  if ((await findCurrentId(call.db, patientId)) !== head.patient_id) throw notFound('Patient')
  return revealSsn(call, head.patient_id, { requisitionId: id })
}
