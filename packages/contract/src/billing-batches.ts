import { z } from 'zod'
import { download, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { amountText } from './payments.ts'
import { outcome } from './requisitions/moves.ts'
import { required, requiredIds } from './validation.ts'

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

/** Headings of the batch table and of the table inside it (BLG-G14). */
export const batchLabels = {
  id: 'Batch ID',
  billSendDate: 'Billing Date',
  recordCount: 'Records',
  totals: 'Total',
  sendStatusDesc: 'Send Status',
  cancelReason: 'Reason',
} as const
export const batchDetailLabels = {
  reqId: 'Req ID',
  files: 'Files',
  patientName: 'Patient Name',
  patientDob: 'DOB',
  clientName: 'Client',
  physician: 'Physician',
  testCodes: 'Test Codes',
  reqBillTypeDesc: 'Bill To',
  amount: 'Amount',
  missing: 'Not billed',
} as const

export const sendStatuses = { PENDING: 'Pending', SENT: 'Sent', FAILED: 'Failed' } as const
export type SendStatus = keyof typeof sendStatuses

const billingBatch = z.object({
  id,
  /** When it was sent; null until then. */
  billSendDate: time.nullable(),
  recordCount: id,
  /** The charged sums, one per currency; at today's prices until the batch is sent. */
  totals: z.array(z.object({ amount: amountText, currencyCode: z.string() })),
  sendStatusCode: z.enum(Object.keys(sendStatuses) as [SendStatus, ...SendStatus[]]),
  sendStatusDesc: z.string(),
  createDate: time,
  createByName: text,
  version: id,
})
export type BillingBatch = z.infer<typeof billingBatch>

/** A requisition of a batch. */
const batchDetail = z.object({
  id,
  reqId: id,
  patientFirstName: z.string(),
  patientLastName: z.string(),
  patientDob: z.iso.date(),
  clientName: z.string(),
  physFirstName: z.string(),
  physLastName: z.string(),
  testCodes: z.string(),
  reqBillTypeCode: text,
  reqBillTypeDesc: text,
  /** The sum of its tests; null while a price is missing. */
  amount: amountText.nullable(),
  currencyCode: text,
  /** Why sending the batch would leave it out; in a plan, also because it is in another batch or was billed by one. */
  missing: text,
})
export type BatchDetail = z.infer<typeof batchDetail>

/** A requisition that can go into a batch. */
const batchPlanRow = batchDetail.extend({
  /** The sent batch that has billed it, if that is the only obstacle: a user may bill it again. */
  billedBatchId: id.nullable(),
  /** The tab of its page where the obstacle can be fixed. */
  tabSlug: z.enum(['billing', 'status']),
  /** The client without a price for one of its tests. */
  unpricedClientId: id.optional(),
})
export type BatchPlanRow = z.infer<typeof batchPlanRow>

const isId = (value: unknown) => /^[1-9][0-9]{0,8}$/.test(String(value ?? '').trim())
/** Invalid ids are skipped; it is an error only if none is left (BLG-139, BLG-140). */
export const batchIds = z
  .array(z.unknown(), { error: messages.batchNotSelected })
  .min(1, messages.batchNotSelected)
  .max(200, 'At most 200 billing batches can be downloaded at once')
  .transform((values) => [...new Set(values.filter(isId).map(Number))])
  .refine((ids) => ids.length > 0, messages.batchIdsInvalid)

/** Why a batch is cancelled before it is sent; recorded in the history and billing notes of its requisitions. */
export const batchCancel = z.object({ reason: required(batchLabels.cancelReason, 500) })

/** Keeps a batch reviewable; the rest goes into the next one. */
export const maxBatchSize = 5000

const some = z.object({ reqIds: requiredIds('Requisition') })

export const billingBatchRoutes = {
  list: get('billing/batch', {
    access: 'billingBatches.read',
    query: listQuery({
      sort: ['id', 'billSendDate', 'recordCount', 'sendStatusDesc', 'createDate'],
      filter: ['id', 'billSendDate', 'sendStatusCode'],
      defaultPerPage: 25,
    }),
    reply: page(billingBatch),
  }),
  details: get('billing/batch/details/:id', {
    access: 'billingBatches.read',
    params: byId,
    reply: page(batchDetail),
  }),
  plan: get('billing/batch/plan', {
    access: 'billingBatches.run',
    summary:
      'Requisitions ready to bill, or with a batch status but in no batch, oldest first up to the batch size; `missing` says what prevents billing, `total` how many there are',
    reply: page(batchPlanRow),
  }),
  create: post('billing/batch', {
    access: 'billingBatches.run',
    summary:
      'A new batch of these requisitions, or of those in the plan. Requisitions billed by a sent batch are refused, unless listed with `billAgain` true',
    body: z.object({
      reqIds: requiredIds('Requisition', maxBatchSize).optional(),
      billAgain: z.boolean().default(false),
    }),
    reply: one(outcome.extend({ id })),
  }),
  send: post('billing/batch/:id/send', {
    access: 'billingBatches.run',
    summary:
      'Writes claims and invoices and moves the requisitions to Billed; those that cannot be billed are removed and listed',
    params: byId,
    body: z.object({}),
    reply: one(outcome.extend({ sendStatusCode: z.enum(['SENT', 'FAILED']) })),
  }),
  cancel: post('billing/batch/:id/cancel', {
    access: 'billingBatches.run',
    summary: 'Cancels a batch that is not sent: its requisitions are ready to bill again, and the batch is deleted',
    params: byId,
    body: batchCancel,
    reply: one(outcome),
  }),
  bulkDownload: post('billing/batch/bulk_download', {
    isReportApi: true,
    access: 'billingBatches.download',
    patientData: true,
    body: z.object({ billBatchIds: batchIds }),
    reply: download,
    makesFile: true,
  }),
  detailsDownload: post('billing/batch/details/download/:id', {
    isReportApi: true,
    access: 'billingBatches.download',
    patientData: true,
    params: byId,
    reply: download,
    makesFile: true,
  }),
  run: post('billing/run', {
    access: 'billingBatches.run',
    summary:
      'Delivered requisitions become ready to bill, or get a billing note with what is missing; with dryRun nothing changes and the reply says what would',
    body: some.extend({ dryRun: z.boolean().default(false) }),
    reply: one(outcome),
  }),
}
