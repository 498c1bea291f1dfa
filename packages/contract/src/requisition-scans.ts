import { z } from 'zod'
import { one } from './kit/envelope.ts'
import { get, idParam, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { patientLabels } from './patients.ts'
import { requisitionLabels } from './requisitions/create.ts'

/** What is read on a scanned requisition, by the names of `POST requisitions` where it has them, with the labels of the form. */
export const scanFieldLabels = {
  clientName: requisitionLabels.clientId,
  physicianName: requisitionLabels.orderingClientPhysId,
  patientLastName: patientLabels.patientLastName,
  patientFirstName: patientLabels.patientFirstName,
  patientDob: 'Date of Birth',
  patientGenderCode: patientLabels.patientGenderCode,
  dateCollected: requisitionLabels.dateCollected,
  timeCollected: 'Time Collected',
  extOrderId: requisitionLabels.extOrderId,
  testCodes: requisitionLabels.testIds,
} as const
export type ScanFieldName = keyof typeof scanFieldLabels

export const scanMessages = {
  started: 'The scan is being read',
  empty: 'The file is empty',
  notUploaded: 'The file has not been uploaded',
  tooLong: 'The file takes too much time or memory to read',
} as const

const scanStates = ['WAITING', 'READING', 'DONE', 'FAILED'] as const

const scanField = z.object({
  name: z.enum(Object.keys(scanFieldLabels) as [ScanFieldName, ...ScanFieldName[]]),
  label: z.string(),
  /** Dates as YYYY-MM-DD, times as HH:mm, a sex as its code; what cannot be understood as it was read, and unsure. */
  value: z.string(),
  confidence: z.number().min(0).max(1),
  isUnsure: z.boolean(),
  page: z.number().int(),
  /** Left, top, width and height in pixels of the straightened page. */
  box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
})
export type ScanField = z.infer<typeof scanField>

const scan = z.object({
  id: z.number().int(),
  state: z.enum(scanStates),
  message: z.string().nullable(),
  fields: z.array(scanField),
})
export type RequisitionScan = z.infer<typeof scan>

const ofScan = z.object({ scanId: idParam })
const fileName = z.string({ error: messages.fileMissing }).trim().min(1, messages.fileMissing).max(255)
const path = 'requisition_scans'

/** Scans belong to the person who uploaded them, and are deleted after a day. */
export const requisitionScanRoutes = {
  init: post(`${path}/init`, {
    access: 'requisitions.create',
    summary: 'A place for the scan of a paper requisition: PDF, PNG, JPEG or TIFF',
    body: z.object({ fileName }),
    reply: one(z.object({ scanId: z.number().int(), url: z.string(), fields: z.record(z.string(), z.string()) })),
  }),
  read: post(`${path}/:scanId/read`, {
    access: 'requisitions.create',
    summary: 'Starts to read the uploaded file on this server; nothing leaves it',
    params: ofScan,
    reply: one(scan),
  }),
  one: get(`${path}/:scanId`, {
    access: 'requisitions.create',
    patientData: true,
    params: ofScan,
    reply: one(scan),
  }),
  piece: get(`${path}/:scanId/pieces/:n`, {
    access: 'requisitions.create',
    patientData: true,
    replyType: 'image/png',
    summary: 'The piece of the picture that field n was read from; the first field is 0',
    params: ofScan.extend({ n: z.coerce.number<string | number>().int().min(0).max(1000) }),
    reply: z.any(),
  }),
}
