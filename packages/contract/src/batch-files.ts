import { z } from 'zod'
import { exported, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, get, idParam, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { required } from './validation.ts'

/** One label per field: messages, table headers and forms read it. */
export const batchFileLabels = {
  id: 'Upload ID',
  loadDate: 'Upload Date',
  batchTypeCode: 'Batch Type',
  uploadRate: 'File Upload Rate',
  reportOriginalFileName: 'File Name',
  reqId: 'Req ID',
  reportLoadStatusDesc: 'Status',
  statusDate: 'Status Date',
  loadByName: 'Uploaded By',
  reason: 'Reason',
} as const

export const batchTypes = { REPORT: 'Test reports', SCANREQ: 'Scanned requisitions' } as const
export type BatchType = keyof typeof batchTypes

/** Files of one batch, and bytes of one file (BATCH-G8). */
export const maxBatchFiles = 500
export const maxUploadBytes = 50 * 1024 * 1024

export const fileStatuses = {
  INIT: 'Initializing',
  COMPLETE: 'Complete',
  FILENOTFOUND: 'File not found',
  NOREQ: 'Requisition not found',
  BADFILE: 'Not a PDF',
  HELD: 'Waiting on the matching desk',
  REJECTED: 'Rejected',
} as const
export type FileStatus = keyof typeof fileStatuses

/** How a status is displayed: INIT neutral, COMPLETE ok, everything else as an error. */
export const fileStatusTone = (status: FileStatus): 'normal' | 'ok' | 'error' =>
  status === 'INIT' ? 'normal' : status === 'COMPLETE' ? 'ok' : 'error'

/** A file that is filed, was never uploaded or was rejected by a user cannot be assigned again. */
export const isRetryable = (status: FileStatus) =>
  status !== 'COMPLETE' && status !== 'FILENOTFOUND' && status !== 'REJECTED'
export const reuploadHint = 'Please upload the file again.'

export const batchFileMessages = {
  duplicateFileName: (name: string) => `The file name "${name}" appears twice in the batch`,
  tooMany: `At most ${maxBatchFiles} files in one batch`,
  started: 'Upload started',
  filed: 'Successfully filed',
  rejected: 'The file has been rejected',
  textTruncated: '… The text goes on. Please open the file.',
} as const

// ── records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const id = z.number().int()
const status = z.enum(Object.keys(fileStatuses) as [FileStatus, ...FileStatus[]])
const batchType = z.enum(Object.keys(batchTypes) as [BatchType, ...BatchType[]])

/** A bulk report upload. */
const reportUpload = z.object({
  id,
  loadDate: z.string(),
  batchTypeCode: batchType,
  batchTypeDesc: z.string(),
  totalFiles: id,
  totalFilesCompleted: id,
  /** Still being uploaded or read. */
  totalFilesPending: id,
  loadByName: z.string().nullable(),
})
export type ReportUpload = z.infer<typeof reportUpload>

const uploadedFile = z.object({
  id,
  loadId: id,
  reportOriginalFileName: z.string(),
  reportLoadStatusCode: status,
  reportLoadStatusDesc: z.string(),
  statusDate: z.string(),
  /** The requisition found by the file name, or chosen by a user. */
  reqId: id.nullable(),
  /** Explains the status. */
  note: z.string().nullable(),
})
export type UploadedFile = z.infer<typeof uploadedFile>

/** One of the three fields that must match before a report is filed. */
export const fieldComparison = z.object({
  field: z.enum(['reqId', 'patientName', 'patientDob']),
  /** The value in the file; null when it could not be read. */
  read: z.string().nullable(),
  /** The value in the record; null without a requisition. */
  record: z.string().nullable(),
  outcome: z.enum(['match', 'mismatch', 'missing']),
})
export type FieldComparison = z.infer<typeof fieldComparison>
export const comparisonLabels: Record<FieldComparison['field'], string> = {
  reqId: 'Requisition',
  patientName: 'Patient Name',
  patientDob: 'Patient DOB',
}

/** A file on the matching desk: what the file and the record say, for a user to decide. */
const heldFile = uploadedFile.extend({
  batchTypeCode: batchType,
  loadByName: z.string().nullable(),
  compared: z.array(fieldComparison),
  /** Requisitions named in the file's content. */
  namedReqIds: z.array(id),
  version: id,
})
export type HeldFile = z.infer<typeof heldFile>

/** The file's text, its URL, and the record it is compared with. */
const heldFileDetail = heldFile.extend({
  url: z.string(),
  contentType: z.string(),
  text: z.string(),
  record: z
    .object({
      reqId: id,
      patientId: id,
      patientName: z.string(),
      patientDob: z.string(),
      clientName: z.string(),
      status: z.string(),
    })
    .nullable(),
})
export type HeldFileDetail = z.infer<typeof heldFileDetail>

// ── input ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const batchTypeInput = z.enum(Object.keys(batchTypes) as [BatchType, ...BatchType[]], {
  error: messages.required(batchFileLabels.batchTypeCode),
})

const batchInit = z.object({
  fileNames: z
    .array(z.string({ error: messages.fileMissing }).trim().min(1, messages.fileMissing).max(255), {
      error: messages.fileMissing,
    })
    .min(1, messages.fileMissing)
    .max(maxBatchFiles, batchFileMessages.tooMany)
    .superRefine((names, context) => {
      const seen = new Set<string>()
      for (const [index, name] of names.entries()) {
        if (seen.has(name))
          context.addIssue({ code: 'custom', path: [index], message: batchFileMessages.duplicateFileName(name) })
        seen.add(name)
      }
    }),
  batchTypeCode: batchTypeInput,
})
export type BatchInit = z.infer<typeof batchInit>

/** The file is posted to `url` as a form: `fields` first, the file last. */
const fileSlot = z.object({
  id,
  reportOriginalFileName: z.string(),
  url: z.string(),
  fields: z.record(z.string(), z.string()),
  newFileName: z.string(),
})
export type FileSlot = z.infer<typeof fileSlot>

/** Left out to repeat the assignment. */
const finishInput = z.object({ batchTypeCode: batchType.optional() })

const matchingDecision = z.discriminatedUnion('decision', [
  z.object({
    decision: z.literal('FILE'),
    reqId: z.coerce
      .number({ error: messages.required(batchFileLabels.reqId) })
      .int()
      .positive(),
    /** The patient that the user saw: refused if the requisition has another patient by now. */
    seenPatientId: idParam.optional(),
    reason: required(batchFileLabels.reason, 1000),
  }),
  z.object({ decision: z.literal('REJECT'), reason: required(batchFileLabels.reason, 1000) }),
])
export type MatchingDecision = z.infer<typeof matchingDecision>

// ── calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const listed = listQuery({
  sort: ['id', 'loadDate', 'batchTypeDesc'],
  filter: ['id', 'batchTypeCode', 'loadDate'],
  defaultPerPage: 10,
})
const filesListed = listQuery({
  sort: ['id', 'reportOriginalFileName', 'reqId', 'reportLoadStatusDesc', 'statusDate'],
  filter: ['reportLoadStatusCode', 'reportOriginalFileName'],
  defaultPerPage: 100,
})
const heldListed = listQuery({ sort: ['id', 'statusDate'], filter: ['loadId', 'reqId'], defaultPerPage: 100 })
const fileParams = byId.extend({ fileId: idParam })
const heldParams = z.object({ fileId: idParam })

/** 'documents.upload' includes collaborators, who may send scanned requisitions only; the service checks the rest. */
export const batchFileRoutes = {
  list: get('bulk_report_uploader', { access: 'batchFiles.open', query: listed, reply: page(reportUpload) }),
  files: get('bulk_report_uploader/:id/files', {
    access: 'batchFiles.open',
    params: byId,
    query: filesListed,
    reply: page(uploadedFile),
  }),
  failed: get('bulk_report_uploader/:id/failed', {
    access: 'batchFiles.open',
    params: byId,
    reply: exported,
    makesFile: true,
  }),
  init: post('bulk_report_uploader/init', {
    access: 'documents.upload',
    body: batchInit,
    reply: one(z.object({ id, files: z.array(fileSlot) })),
  }),
  slot: post('bulk_report_uploader/:id/slot/:fileId', {
    access: 'documents.upload',
    summary: 'A new slot for a file that was not uploaded yet: the first one expires after 15 minutes',
    params: fileParams,
    reply: one(fileSlot),
  }),
  finish: post('bulk_report_uploader/:id/finish/:fileId', {
    access: 'documents.upload',
    summary: 'Files an uploaded file, or holds it; with an empty body it repeats the assignment',
    params: fileParams,
    body: finishInput,
    reply: one(uploadedFile),
  }),
  held: get('bulk_report_uploader/held', { access: 'batchFiles.upload', query: heldListed, reply: page(heldFile) }),
  heldOne: get('bulk_report_uploader/held/:fileId', {
    access: 'batchFiles.upload',
    summary: 'The file and the record; `reqId` compares it with another requisition',
    params: heldParams,
    query: z.object({ reqId: idParam.optional() }),
    reply: one(heldFileDetail),
  }),
  decide: post('bulk_report_uploader/held/:fileId/decide', {
    access: 'batchFiles.upload',
    params: heldParams,
    body: matchingDecision,
    reply: one(uploadedFile),
  }),
}
