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

/** What the card checks before it sends; its date and time parts are not sent but combined (DETAIL-128). */
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

/** PUT changes what it is given: the card, the status alone, or the ICD note alone. */
export const requisitionUpdate = z.object({
  ...updateFields(editable),
  dateCollected: updateField(required(label.dateCollected, 40)),
  timeCentrifuged: timeCentrifuged.optional(),
  reqStatusCode: z.enum(statusCodes, { error: messages.invalid('Status') }).optional(),
  legacyIcdNote: updateField(optionalText('Client ICD Notes')),
})
export type RequisitionUpdate = z.infer<typeof requisitionUpdate>

/** When the copy's own sample was collected; without it the copy says now. */
const requisitionCopy = z.object({ dateCollected: updateField(required(label.dateCollected, 40)) })
export type RequisitionCopy = z.infer<typeof requisitionCopy>

// ── its patient and their history ───────────────────────────────────────────────────────────────────────────────────

/** Both cards go into and out of edit mode together (PAT-G14), so they are one form. */
export const patientForm = withBirthDateCheck(
  withMeasurementCheck(z.object({ ...patientCore, ...birthDateParts, ...patientContact, ...historyShape })),
)
export type PatientForm = z.infer<typeof patientForm>

/** What the history of the requisition says of the patient's size; the patient carries it too (PAT-035 to PAT-037). */
const { heightUom, heightInches, heightCm } = historyShape
const height = { heightUom, heightInches, heightCm }

export const patientUpdate = z.object({
  ...updateFields({ ...patientShape, ...height }),
  /** Gives the requisition a new patient instead of changing the one that it has. */
  isNewPatient: flag01.default(0),
  /** Whom the writer had in view: refused when the requisition has been given to somebody else since. */
  seenPatientId: idParam.optional(),
})
export type PatientUpdate = z.infer<typeof patientUpdate>

export const historyUpdate = z.object(updateFields(historyShape))
export type HistoryUpdate = z.infer<typeof historyUpdate>

const sizedPatient = patient.extend(patientHistory.pick({ heightUom: true, heightInches: true, heightCm: true }).shape)

/** Both records as the view tab shows them. */
/** From Released on a requisition keeps what it said of its patient, whatever the record says later. */
const identityAtRelease = sizedPatient.pick({
  patientFirstName: true,
  patientMiddleName: true,
  patientLastName: true,
  patientDob: true,
})
export type IdentityAtRelease = z.infer<typeof identityAtRelease>
export const requisitionPatient = z.object({
  patient: sizedPatient,
  history: patientHistory,
  /** What the requisition says, where the record of the patient says otherwise now. */
  kept: identityAtRelease.nullable(),
})
export type RequisitionPatient = z.infer<typeof requisitionPatient>

const saved = one(z.object({ id: z.number().int(), version: z.number().int() }))
const ofPatient = byId.extend({ patientId: idParam })

export const requisitionEditRoutes = {
  update: put('requisitions/:id', {
    access: 'requisitions.edit',
    asks: [moveQuestions.neverSent, orderQuestions.oldCollection, centrifugedQuestion],
    params: byId,
    body: requisitionUpdate,
    reply: saved,
  }),
  copy: post('requisitions/:id/copy', {
    access: 'requisitions.duplicate',
    asks: [orderQuestions.oldCollection],
    summary: 'The same person within 10 seconds gets the first copy again',
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
      "Changes the requisition's patient, or gives it another one; after Processing only address and contact, by super admins",
    params: ofPatient,
    body: patientUpdate,
    reply: one(sizedPatient),
  }),
  showSsn: post('requisitions/:id/patients/:patientId/ssn', {
    access: 'patients.edit',
    summary: 'The whole social security number; every call leaves a row in the audit',
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
