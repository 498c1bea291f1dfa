import { z } from 'zod'
import { one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get, idParam, post, put, repeatWindowMs } from './kit/route.ts'
import { messages } from './messages.ts'
import { outcome } from './requisitions/moves.ts'
import { flag01, requiredId, requiredIds } from './validation.ts'

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

/** How reports reach their receivers (decisions §7). */
export const transmitMethods = {
  EMAIL: 'E-mail',
  FAX: 'Secure fax',
  PORTAL: 'Portal',
  PRINT: 'Print',
  HL7: 'HL7 interface',
} as const
export type TransmitMethodCode = keyof typeof transmitMethods
export const transmitMethodCodes = Object.keys(transmitMethods) as [TransmitMethodCode, ...TransmitMethodCode[]]

/** How far something that is sent out has come. The last two are ends: the other side said no for good, or every attempt was in vain. */
export const deliveryStates = {
  QUEUED: 'Queued',
  RETRYING: 'Trying again',
  SENT: 'Sent',
  CONFIRMED: 'Confirmed',
  OPENED: 'Opened',
  REFUSED: 'Refused',
  FAILED: 'Failed',
} as const
export type DeliveryState = keyof typeof deliveryStates

export const deliveryLabels = {
  transmitMethodCode: 'Delivery Method',
  reportOriginalFileName: 'File Name',
  versionNo: 'Version',
  recipient: 'Deliver To',
  deliveryState: 'Status',
  requestedDate: 'Requested',
  requestedByName: 'Requested By',
  sentDate: 'Sent',
  nextAttemptDate: 'Next Attempt',
  answer: 'Answer',
  sha256: 'File Hash',
} as const

/** What both the ledger and the patient's notifications say of something that is sent out. */
const sending = z.object({
  id,
  transmitMethodDesc: z.string(),
  recipientName: text,
  recipient: z.string(),
  deliveryState: z.enum(Object.keys(deliveryStates) as [DeliveryState, ...DeliveryState[]]),
  requestedDate: time,
  requestedByName: text,
  sentDate: time.nullable(),
  /** While it is RETRYING: when it is tried again by itself. */
  nextAttemptDate: time.nullable(),
  attempts: id,
  /** What the other side said, or why it did not work. */
  answer: text,
})
export type Sending = z.infer<typeof sending>

/** A row of the ledger: one receiver of one version of one report. */
export const delivery = sending.extend({
  reqId: id,
  reportId: id,
  reportOriginalFileName: z.string(),
  versionNo: id,
  /** What counts now, and would be sent again. */
  currentVersionNo: id,
  transmitMethodCode: z.enum(transmitMethodCodes),
  isCorrection: flag01,
  /** It still gets the reports of this requisition; if not, it is sent no correction and has to be told. */
  isReceiver: flag01,
  confirmedDate: time.nullable(),
  openedDate: time.nullable(),
  /** Of the bytes that were handed over. */
  sha256: text,
  patientName: z.string(),
  clientName: z.string(),
})
export type Delivery = z.infer<typeof delivery>

const method = z.enum(transmitMethodCodes, {
  error: ({ input }) =>
    input === undefined || input === null || input === ''
      ? messages.required(deliveryLabels.transmitMethodCode)
      : messages.invalid(deliveryLabels.transmitMethodCode),
})
export const deliveryInput = z.object({
  reportIds: z
    .array(requiredId('Report'), { error: messages.required('Report') })
    .min(1, messages.required('Report'))
    .max(100)
    .transform((ids) => [...new Set(ids)]),
  transmitMethodCode: method,
})

const receiver = z.object({
  name: z.string(),
  transmitMethodDesc: z.string(),
  recipient: z.string(),
  /** Why this one cannot be reached, or null. */
  problem: text,
})

/** Who would get the released reports of a requisition, how and where, before anything is sent. */
export const deliveryPlan = z.object({
  reports: z.array(z.object({ id, reportOriginalFileName: z.string(), versionNo: id })),
  receivers: z.array(receiver),
  /** Why nothing would be sent, or null. */
  refusal: text,
})
export type DeliveryPlan = z.infer<typeof deliveryPlan>

/** One who would get reports of several requisitions. */
const bulkReceiver = receiver.extend({ reqIds: z.array(id), reportCount: id })
export type BulkReceiver = z.infer<typeof bulkReceiver>
/** With `dryRun` it names who would get what. */
const bulkOutcome = outcome.extend({ receivers: z.array(bulkReceiver).optional() })

const many = z.object({ reqIds: requiredIds('Requisition'), dryRun: z.boolean().default(false) })
const started = one(z.object({ deliveryIds: z.array(id) }))
const deliver = { access: 'reports.deliver' } as const
const send = { ...deliver, repeatsWithinMs: repeatWindowMs } as const

export const deliveryRoutes = {
  ledger: get('requisitions/:id/deliveries', {
    ...deliver,
    summary: 'Who was sent which version of which report, and what became of it',
    params: byId,
    query: listQuery({ sort: ['requestedDate'], filter: ['id'], defaultPerPage: -1 }),
    reply: page(delivery),
  }),
  deliver: post('requisitions/:id/delivery', { ...send, params: byId, body: deliveryInput, reply: started }),
  deliverAll: post('requisitions/:id/rep_delivery', {
    ...send,
    summary: "Every released report to all its receivers, each by the receiver's own method",
    params: byId,
    body: z.object({}),
    reply: started,
  }),
  plan: get('requisitions/:id/rep_delivery', {
    ...deliver,
    summary: 'What `rep_delivery` would send, and to whom',
    params: byId,
    reply: one(deliveryPlan),
  }),
  deliverMany: post('requisitions/bulk_delivery', {
    ...deliver,
    summary: '`rep_delivery` for many; with dryRun nothing is sent and the answer says what would be',
    body: many,
    reply: one(bulkOutcome),
  }),
  notifyMany: post('requisitions/send_notif', {
    access: 'requisitions.sendNotification',
    summary: 'Tells the patients that their results are ready, never the results',
    body: many,
    reply: one(outcome),
  }),
  notifications: get('requisitions/:id/patient_notifications', {
    ...deliver,
    summary: 'How the patient was told that results are ready, and what became of it',
    params: byId,
    query: listQuery({ sort: ['requestedDate'], filter: ['id'], defaultPerPage: -1 }),
    reply: page(sending),
  }),
  resend: post('deliveries/:id/resend', {
    ...deliver,
    summary: 'Sends it again; what waits for its next attempt is tried at once',
    params: byId,
    body: z.object({}),
    reply: started,
  }),
  confirm: put('deliveries/:id/confirm', {
    ...deliver,
    summary: 'A printed report has been handed over',
    params: z.object({ id: idParam }),
    body: z.object({}),
    reply: one(z.object({ id })),
  }),
  late: get('deliveries/late', {
    ...deliver,
    summary: 'The work list: what has failed, and what has not arrived after so many hours',
    query: listQuery({
      sort: ['requestedDate', 'reqId', 'clientName', 'patientName', 'recipient', 'transmitMethodCode', 'deliveryState'],
      filter: ['hours', 'transmitMethodCode', 'clientName', 'search'],
      defaultPerPage: 10,
    }),
    reply: page(delivery),
  }),
}
