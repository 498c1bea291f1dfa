import { z } from 'zod'
import { list, newId, one } from './kit/envelope.ts'
import { byId, get, idParam, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { optionalIds } from './partial-input.ts'
import { identityQuestion, oldBirthQuestion, patient, patientCoreInput, samePatientQuestion } from './patients.ts'
import { orderable, orderQuestions, orderShape, requisitionLabels } from './requisitions/create.ts'
import { flag01, optionalId, optionalText } from './validation.ts'

const id = z.number().int()

/** Where the requisition of an order comes from, as its history says it. */
export const portalSource = 'Portal'

export const portalOrderMessages = {
  notAllowed: 'Your practice cannot order tests here yet. Ask the laboratory to open ordering for it.',
  mostIcds: 'A requisition has at most 12 ICD codes',
} as const

/** The body of POST. Fields that the practice leaves out are filled in as the laboratory has them for the client. */
const portalOrderInput = z
  .object({
    /** Needed where a physician works for several practices. */
    clientId: optionalId(requisitionLabels.clientId),
    orderingClientPhysId: optionalId(requisitionLabels.orderingClientPhysId),
    labId: optionalId(requisitionLabels.labId),
    eventId: optionalId(requisitionLabels.eventId),
    extOrderId: orderShape.extOrderId,
    collectCode: orderShape.collectCode,
    collectedBy: orderShape.collectedBy,
    ...patientCoreInput.shape,
    /** A known patient of the practice. */
    patientId: optionalId('Patient'),
    /** Creates a new patient even if one with the same name and birth date exists. */
    isNewPatient: flag01.default(0),
    /** When the sample was taken; a time without an offset is in the client's time zone. */
    dateCollected: optionalText(requisitionLabels.dateCollected, 40),
    /** The sample is taken later: nobody knows the time yet. */
    isToCollect: flag01.default(0),
    testIds: optionalIds(requisitionLabels.testIds),
    panelIds: optionalIds(requisitionLabels.panelIds),
    icdIds: optionalIds('ICD'),
    /** Copies the insurances of the patient's last requisition. */
    isInsuranceKnown: flag01.default(1),
  })
  .superRefine(({ dateCollected, isToCollect, icdIds }, context) => {
    const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    if (isToCollect === 0 && dateCollected === null)
      refuse('dateCollected', messages.required(requisitionLabels.dateCollected))
    if (isToCollect === 1 && dateCollected !== null)
      refuse('dateCollected', 'A sample that is collected later has no time of collection yet')
    if (icdIds.length > 12) refuse('icdIds', portalOrderMessages.mostIcds)
  })
export type PortalOrderInput = z.infer<typeof portalOrderInput>

/** Tests that the practice orders together, and how often lately. */
const usualSet = z.object({
  name: z.string(),
  panelIds: z.array(id),
  testIds: z.array(id),
  codes: z.array(z.string()),
  count: id,
})
export type UsualSet = z.infer<typeof usualSet>

const orderOptions = z.object({
  /** The practices that the caller may order for. */
  clients: z.array(z.object({ clientId: id, clientName: z.string() })),
  /** The chosen one, or the only one. */
  clientId: id.nullable(),
  clientTz: z.string().nullable(),
  physicians: z.array(z.object({ orderingClientPhysId: id, physName: z.string() })),
  usualSets: z.array(usualSet),
  orderables: z.array(orderable),
})
export type OrderOptions = z.infer<typeof orderOptions>

/** What Home shows of it. */
export const homeOrder = z.object({ usualSets: z.array(usualSet), link: z.string() })
export type HomeOrder = z.infer<typeof homeOrder>

const knownPatient = patient
  .pick({
    id: true,
    patientFirstName: true,
    patientMiddleName: true,
    patientLastName: true,
    patientDob: true,
    patientGenderCode: true,
    patientGenderDesc: true,
    patientEthnicityCode: true,
    version: true,
  })
  .extend({
    /** Of the last requisition that had any, as they are copied. */
    insurances: z.array(z.string()),
  })
export type KnownPatient = z.infer<typeof knownPatient>

export const portalOrderRoutes = {
  options: get('portal_orders/options', {
    access: 'portal.order',
    summary: 'What the caller may order, and for whom; 403 where the laboratory has not opened ordering',
    query: z.object({ clientId: idParam.optional() }),
    reply: one(orderOptions),
  }),
  patients: get('portal_orders/patients', {
    access: 'portal.order',
    summary: 'Patients of the caller, the latest first; by names and birth date when searched',
    query: z.object({ search: z.string().trim().max(100).optional() }),
    reply: list(knownPatient),
  }),
  create: post('portal_orders', {
    access: 'portal.order',
    asks: [
      ...Object.values(orderQuestions),
      samePatientQuestion,
      identityQuestion.code,
      identityQuestion.which,
      oldBirthQuestion,
    ],
    body: portalOrderInput,
    reply: newId,
  }),
  print: post('portal_orders/:id/print', {
    access: 'portal.order',
    patientData: true,
    summary: 'The requisition as a PDF, with a bar code for each tube',
    params: byId,
    reply: one(z.object({ url: z.string() })),
  }),
}
