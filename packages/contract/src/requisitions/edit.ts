import { z } from 'zod'
import { historyShape, patientHistory, withMeasurementCheck } from '../clinical-history.ts'
import { newId, one } from '../kit/envelope.ts'
import { byId, get, idParam, post, put, repeatWindowMs } from '../kit/route.ts'
import { messages } from '../messages.ts'
import { updateField, updateFields } from '../partial-input.ts'
import {
  birthDateParts,
  identityQuestion,
  oldBirthQuestion,
  patient,
  patientContact,
  patientCore,
  patientShape,
  withBirthDateCheck,
} from '../patients.ts'
import { flag01, hoursPart, minutesPart, optionalId, optionalText, required, requiredId } from '../validation.ts'
import { amPm, collectedParts, withCollectedCheck } from './collected.ts'
import { centrifugedQuestion, requisitionLabels as label, orderQuestions, orderShape } from './create.ts'
import { moveQuestions } from './moves.ts'
import { statusCodes } from './status.ts'

// ── the requisition ─────────────────────────────────────────────────────────────────────────────────────────────────

export const centrifugedLabels = {
  timeCentrifugedHour: 'Centrifuged Hour',
  timeCentrifugedMin: 'Centrifuged Min',
  timeCentrifugedAmPm: 'Centrifuged AM/PM',
} as const

const fasting = z
  .literal([0, 1, ''], { error: messages.invalid(label.isFasting) })
  .nullish()
  .transform((value) => (value === 0 || value === 1 ? value : null))

const editable = {
  ...orderShape,
  colaId: requiredId(label.colaId),
  copyToClientId: optionalId(label.copyToClientId),
  copyToClientPhysId: optionalId(label.copyToClientPhysId),
  extAccessionId: optionalText(label.extAccessionId, 50),
  isFasting: fasting,
}

/** The card's form; its date and time parts are combined before sending (DETAIL-128). */
export const requisitionEditForm = withCollectedCheck(
  z.object({
    ...editable,
    ...collectedParts,
    timeCentrifugedHour: hoursPart(centrifugedLabels.timeCentrifugedHour),
    timeCentrifugedMin: minutesPart(centrifugedLabels.timeCentrifugedMin),
    timeCentrifugedAmPm: amPm(centrifugedLabels.timeCentrifugedAmPm),
  }),
)
export type RequisitionEditForm = z.infer<typeof requisitionEditForm>

const timeCentrifuged = z
  .string({ error: messages.invalid(label.timeCentrifuged) })
  .trim()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, messages.invalid(label.timeCentrifuged))
  .nullable()

/** PUT changes only the fields that are sent: the card, the status alone, or the ICD note alone. */
const requisitionUpdate = z.object({
  ...updateFields(editable),
  dateCollected: updateField(required(label.dateCollected, 40)),
  timeCentrifuged: timeCentrifuged.optional(),
  reqStatusCode: z.enum(statusCodes, { error: messages.invalid('Status') }).optional(),
  legacyIcdNote: updateField(optionalText('Client ICD Notes')),
})
export type RequisitionUpdate = z.infer<typeof requisitionUpdate>

/** When the copy's sample was collected; defaults to now. */
const requisitionCopy = z.object({ dateCollected: updateField(required(label.dateCollected, 40)) })
export type RequisitionCopy = z.infer<typeof requisitionCopy>

// ── its patient and their history ───────────────────────────────────────────────────────────────────────────────────

/** Both cards are edited together (PAT-G14), so they are one form. */
export const patientForm = withBirthDateCheck(
  withMeasurementCheck(z.object({ ...patientCore, ...birthDateParts, ...patientContact, ...historyShape })),
)
export type PatientForm = z.infer<typeof patientForm>

/** The patient's height in the requisition's history; the patient resource has it too (PAT-035 to PAT-037). */
const { heightUom, heightInches, heightCm } = historyShape
const height = { heightUom, heightInches, heightCm }

export const patientUpdate = z.object({
  ...updateFields({ ...patientShape, ...height }),
  /** Creates a new patient for the requisition instead of changing the current one. */
  isNewPatient: flag01.default(0),
  /** The patient that the user saw: refused if the requisition has another patient by now. */
  seenPatientId: idParam.optional(),
})
export type PatientUpdate = z.infer<typeof patientUpdate>

const { patientRaceCode: _, patientEthnicityCode: __, patientSsn: ___, ...namesAndSex } = patientCore

/** Name, birth date and sex alone: a spelling mistake is corrected without an address that nobody has given. */
const identityUpdate = z.object(updateFields({ ...namesAndSex, patientDob: patientShape.patientDob }))
export type IdentityUpdate = z.infer<typeof identityUpdate>

/** The form of the same. */
export const identityForm = withBirthDateCheck(z.object({ ...namesAndSex, ...birthDateParts }))

const historyUpdate = z.object(updateFields(historyShape))
export type HistoryUpdate = z.infer<typeof historyUpdate>

const patientWithHeight = patient.extend(
  patientHistory.pick({ heightUom: true, heightInches: true, heightCm: true }).shape,
)

/** From Released on, a requisition keeps its copy of the patient's identity, whatever changes in the patient record later. */
const identityAtRelease = patientWithHeight.pick({
  patientFirstName: true,
  patientMiddleName: true,
  patientLastName: true,
  patientDob: true,
})
export type IdentityAtRelease = z.infer<typeof identityAtRelease>
/** Both records as the view tab shows them. */
const requisitionPatient = z.object({
  patient: patientWithHeight,
  history: patientHistory,
  /** The identity at release, if it differs from the patient record. */
  kept: identityAtRelease.nullable(),
})
export type RequisitionPatient = z.infer<typeof requisitionPatient>

const saved = one(z.object({ id: z.number().int(), version: z.number().int() }))
const ofPatient = byId.extend({ patientId: idParam })

export const requisitionEditRoutes = {
  update: put('requisitions/:id', {
    access: 'requisitions.edit',
    asks: [moveQuestions.neverSent, orderQuestions.oldCollection, orderQuestions.sameExternalId, centrifugedQuestion],
    params: byId,
    body: requisitionUpdate,
    reply: saved,
  }),
  copy: post('requisitions/:id/copy', {
    access: 'requisitions.duplicate',
    asks: [orderQuestions.oldCollection],
    summary: 'A repeat by the same user within 10 seconds returns the first copy',
    repeatsWithinMs: repeatWindowMs,
    params: byId,
    body: requisitionCopy.nullish(),
    reply: newId,
  }),
  patient: get('requisitions/:id/patient', {
    access: 'requisitions.open',
    params: byId,
    reply: one(requisitionPatient),
  }),
  updatePatient: put('requisitions/:id/patients/:patientId', {
    access: 'patients.edit',
    asks: [identityQuestion.code, identityQuestion.which, oldBirthQuestion],
    summary:
      "Changes the requisition's patient, or assigns another one; after Processing only address and contact, by super admins",
    params: ofPatient,
    body: patientUpdate,
    reply: one(patientWithHeight),
  }),
  correctIdentity: put('requisitions/:id/patients/:patientId/identity', {
    access: 'patients.edit',
    asks: [identityQuestion.code, identityQuestion.which, oldBirthQuestion],
    summary: "Changes name, birth date or sex of the requisition's patient and nothing else",
    params: ofPatient,
    body: identityUpdate,
    reply: one(patientWithHeight),
  }),
  showSsn: post('requisitions/:id/patients/:patientId/ssn', {
    access: 'patients.edit',
    summary: 'The full social security number; every call is recorded in the audit',
    isReplySecret: true,
    params: ofPatient,
    reply: one(z.object({ patientSsn: z.string().nullable() })),
  }),
  updateHistory: put('requisitions/:id/patient_hists/:histId', {
    access: 'patients.edit',
    params: byId.extend({ histId: idParam }),
    body: historyUpdate,
    reply: one(patientHistory),
  }),
}
