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
const transmitMethodCodes = Object.keys(transmitMethods) as [TransmitMethodCode, ...TransmitMethodCode[]]

/** The states of an outgoing message. The last two are final: permanently rejected, or every attempt failed. */
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

/** Common fields of report deliveries and patient notifications. */
const sending = z.object({
  id,
  transmitMethodDesc: z.string(),
  recipientName: text,
  recipient: z.string(),
  deliveryState: z.enum(Object.keys(deliveryStates) as [DeliveryState, ...DeliveryState[]]),
  requestedDate: time,
  requestedByName: text,
  sentDate: time.nullable(),
  /** While it is RETRYING: the time of the next automatic attempt. */
  nextAttemptDate: time.nullable(),
  attempts: id,
  /** The response of the receiver, or why it failed. */
  answer: text,
})
export type Sending = z.infer<typeof sending>

/** A delivery: one receiver of one version of one report. */
const delivery = sending.extend({
  reqId: id,
  reportId: id,
  reportOriginalFileName: z.string(),
  versionNo: id,
  /** The current version, which would be sent again. */
  currentVersionNo: id,
  transmitMethodCode: z.enum(transmitMethodCodes),
  isCorrection: flag01,
  /** Still a receiver of this requisition's reports; if not, it is not sent corrections and has to be informed by hand. */
  isReceiver: flag01,
  confirmedDate: time.nullable(),
  openedDate: time.nullable(),
  /** Of the bytes that were sent. */
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
  /** Why this receiver cannot be reached, or null. */
  problem: text,
})

/** Receivers of a requisition's released reports, with method and address, before anything is sent. */
const deliveryPlan = z.object({
  reports: z.array(z.object({ id, reportOriginalFileName: z.string(), versionNo: id })),
  receivers: z.array(receiver),
  /** Why nothing would be sent, or null. */
  refusal: text,
})
export type DeliveryPlan = z.infer<typeof deliveryPlan>

/** A receiver of reports of several requisitions. */
const bulkReceiver = receiver.extend({ reqIds: z.array(id), reportCount: id })
export type BulkReceiver = z.infer<typeof bulkReceiver>
/** With `dryRun` it lists the receivers and sends nothing. */
const bulkOutcome = outcome.extend({ receivers: z.array(bulkReceiver).optional() })

const many = z.object({ reqIds: requiredIds('Requisition'), dryRun: z.boolean().default(false) })
const started = one(z.object({ deliveryIds: z.array(id) }))
const deliver = { access: 'reports.deliver' } as const
const send = { ...deliver, repeatsWithinMs: repeatWindowMs } as const

export const deliveryRoutes = {
  ledger: get('requisitions/:id/deliveries', {
    ...deliver,
    summary: 'All deliveries of the reports with their state',
    params: byId,
    query: listQuery({ sort: ['requestedDate'], filter: ['id'], defaultPerPage: -1 }),
    reply: page(delivery),
  }),
  deliver: post('requisitions/:id/delivery', { ...send, params: byId, body: deliveryInput, reply: started }),
  deliverAll: post('requisitions/:id/rep_delivery', {
    ...send,
    summary: "Every released report to all its receivers, each by the receiver's method",
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
    summary: '`rep_delivery` for many; with dryRun nothing is sent and the reply says what would be',
    body: many,
    reply: one(bulkOutcome),
  }),
  notifyMany: post('requisitions/send_notif', {
    access: 'requisitions.sendNotification',
    summary: 'Notifies the patients that their results are ready, without the results',
    body: many,
    reply: one(outcome),
  }),
  notifications: get('requisitions/:id/patient_notifications', {
    ...deliver,
    summary: 'Notifications of the patient with their state',
    params: byId,
    query: listQuery({ sort: ['requestedDate'], filter: ['id'], defaultPerPage: -1 }),
    reply: page(sending),
  }),
  resend: post('deliveries/:id/resend', {
    ...deliver,
    summary: 'Sends it again; a message waiting for its next attempt is tried at once',
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
    summary: 'The work list: failed deliveries, and those not delivered after the given hours',
    query: listQuery({
      sort: ['requestedDate', 'reqId', 'clientName', 'patientName', 'recipient', 'transmitMethodCode', 'deliveryState'],
      filter: ['hours', 'transmitMethodCode', 'clientName', 'search'],
      defaultPerPage: 10,
    }),
    reply: page(delivery),
  }),
}
