import { z } from 'zod'
import { newHistoryShape, withMeasurementCheck } from '../clinical-history.ts'
import { list, newId, one } from '../kit/envelope.ts'
import { get, idParam, post } from '../kit/route.ts'
import { messages } from '../messages.ts'
import { optionalIds } from '../partial-input.ts'
import {
  birthDateParts,
  identityQuestion,
  oldBirthQuestion,
  patientCore,
  patientCoreInput,
  samePatientQuestion,
  withBirthDateCheck,
} from '../patients.ts'
import { specimenInput } from '../specimens.ts'
import { flag01, optionalCode, optionalId, optionalText, required, requiredId } from '../validation.ts'
import { collectedParts, withCollectedCheck } from './collected.ts'

export const requisitionLabels = {
  labId: 'Lab',
  colaId: 'Collaborator',
  clientId: 'Client',
  orderingClientPhysId: 'Physician',
  physFirstName: 'Physician First Name',
  physLastName: 'Physician Last Name',
  eventId: 'Client Event',
  extOrderId: 'External Order ID',
  extAccessionId: 'External Accession ID',
  copyToClientId: 'Copy to Client',
  copyToClientPhysId: 'Copy to Physician',
  isFasting: 'Fasting',
  dateCollected: 'Date Collected',
  timeCentrifuged: 'Time Centrifuged',
  collectCode: 'Collection Method',
  collectedBy: 'Collected By',
  testIds: 'Tests',
  panelIds: 'Panels',
  specimens: 'Specimens',
} as const
const label = requisitionLabels

/** The order without its collection time, which forms have in parts. */
const order = {
  clientId: requiredId(label.clientId),
  orderingClientPhysId: requiredId(label.orderingClientPhysId),
  eventId: requiredId(label.eventId),
  labId: requiredId(label.labId),
  extOrderId: optionalText(label.extOrderId, 50),
  collectCode: optionalCode(label.collectCode),
  collectedBy: optionalText(label.collectedBy, 100),
}
export const orderShape = order

/** Asked before an order is saved (DAY-12). */
export const orderQuestions = {
  /** The same patient, client and day of collection, with a test in common or none on both. */
  duplicate: 'DUPLICATE_ORDER',
  sameExternalId: 'SAME_EXTERNAL_ID',
  oldCollection: 'OLD_COLLECTION',
} as const

/** Asked by the edit card: a centrifuged time has no date, so it may be on the next day. */
export const centrifugedQuestion = 'CENTRIFUGED_BEFORE_COLLECTION'

/** The form as validated by the page; `collaborator` is the specification's name (CREATE-G8). */
export const requisitionForm = withCollectedCheck(
  withBirthDateCheck(
    withMeasurementCheck(
      z.object({
        ...order,
        collaborator: requiredId(label.colaId),
        ...patientCore,
        ...birthDateParts,
        ...collectedParts,
        ...newHistoryShape,
        /** Keys of tests and panels, see `orderable`. */
        tests: z.array(z.string()).default([]),
        specimens: z.union([z.literal('').transform(() => []), z.array(specimenInput)]).default([]),
      }),
    ),
  ),
)
export type RequisitionForm = z.infer<typeof requisitionForm>

const maxSpecimens = 50

/** The body of POST. A time without an offset is in the client's time zone. */
export const requisitionInput = withMeasurementCheck(
  z
    .object({
      ...order,
      collaborator: optionalId(label.colaId),
      /** Another name of `collaborator`. */
      colaId: optionalId(label.colaId),
      ...patientCoreInput.shape,
      /** An existing patient. */
      patientId: optionalId('Patient'),
      /** With `patientId`: the patient's record is changed to what is sent, in the same transaction. */
      isPatientEdited: flag01.default(0),
      /** The version that the user saw, to detect concurrent changes. */
      patientVersion: optionalId('Patient'),
      /** Creates a new patient even if one with the same name and birth date exists. */
      isNewPatient: flag01.default(0),
      dateCollected: required(label.dateCollected, 40),
      ...newHistoryShape,
      testIds: optionalIds(label.testIds),
      panelIds: optionalIds(label.panelIds),
      /** Received with the order, as by `requisitions/:id/specimens`. */
      specimens: z
        .array(specimenInput, { error: messages.invalid(label.specimens) })
        .max(maxSpecimens, `At most ${maxSpecimens} specimens can be received with an order`)
        .nullish()
        .transform((specimens) => specimens ?? []),
    })
    .refine(({ collaborator, colaId }) => collaborator !== null || colaId !== null, {
      path: ['collaborator'],
      message: messages.required(label.colaId),
    }),
)
export type RequisitionInput = z.infer<typeof requisitionInput>

/** The setting that holds the names of the company's default collaborator and event: {"collaborator": …, "event": …} (CREATE-G2). */
export const companyDefaultsKey = 'company.defaults'

/** Preset values of the page (CREATE-G2): the company's, and the client's once chosen. */
const requisitionPresets = z.object({
  labId: z.number().int().nullable(),
  colaId: z.number().int().nullable(),
  colaName: z.string().nullable(),
  /** Users of a collaborator cannot order for another one. */
  isColaFixed: flag01,
  eventId: z.number().int().nullable(),
  /** TZNA when the client's zone is not known; null while there is no client. */
  clientTz: z.string().nullable(),
})
export type RequisitionPresets = z.infer<typeof requisitionPresets>

/** A test or a panel that can be ordered; `key` is unique among both. */
export const orderable = z.object({
  key: z.string(),
  id: z.number().int(),
  isPanel: flag01,
  code: z.string(),
  desc: z.string(),
  /** The tests of a panel. */
  testCodes: z.array(z.string()),
  /** The tubes that its tests need: 'Serum in SST'. */
  tubes: z.array(z.string()),
})
export type Orderable = z.infer<typeof orderable>

export const requisitionCreateRoutes = {
  presets: get('requisitions/create/presets', {
    access: 'requisitions.create',
    summary: 'Preset values of the create form; with a client also those of the client',
    query: z.object({ clientId: idParam.optional() }),
    reply: one(requisitionPresets),
  }),
  tests: get('requisitions/create/tests', {
    access: 'requisitions.create',
    summary: 'Panels and single tests that can be ordered',
    reply: list(orderable),
  }),
  create: post('requisitions', {
    access: 'requisitions.create',
    asks: [
      ...Object.values(orderQuestions),
      samePatientQuestion,
      identityQuestion.code,
      identityQuestion.which,
      oldBirthQuestion,
    ],
    summary: 'A new requisition with its patient, tests and received specimens, all or nothing',
    body: requisitionInput,
    reply: newId,
  }),
}
