import { z } from 'zod'
import { fieldComparison } from './batch-files.ts'
import { done, download, newId, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, idParam, post, put, repeatWindowMs } from './kit/route.ts'
import { messages } from './messages.ts'
import { downloadSources } from './requisitions/downloads.ts'
import { outcome } from './requisitions/moves.ts'
import { flag01, required, requiredId, requiredIds } from './validation.ts'

const id = z.number().int()
const text = z.string().nullable()
const time = z.iso.datetime({ offset: true })

/** The results of lab QC (DELIV-G3). */
export const labQcStatuses = {
  PENDING: 'Pending',
  RELEASE: 'Release',
  REPEAT: 'Repeat',
  MD: 'MD review',
  HOLD: 'Hold',
} as const
export type LabQcStatusCode = keyof typeof labQcStatuses
const labQcCodes = Object.keys(labQcStatuses) as [LabQcStatusCode, ...LabQcStatusCode[]]

/** Who decides on a report (DELIV-G10). */
export const qcTypes = { LAB: 'Laboratory', MD: 'Medical director' } as const

export const reportLabels = {
  reportOriginalFileName: 'File Name',
  labQcStatusCode: 'Lab QC Result',
  qcDate: 'QC Date',
  qcTypeDesc: 'QC Type',
  reportIsDelivered: 'Delivered',
  latestTransmitMethodDesc: 'Latest Delivery Method',
  latestDeliveryDate: 'Latest Delivery Date',
  latestDeliveredByName: 'Latest Delivered By',
  reportActionDate: 'Date',
  reportActionDesc: 'Action',
  reportActionByName: 'By',
  releaseDate: 'Release Date',
  correctionReason: 'Reason for the correction',
  versionNo: 'Version',
  removalReason: 'Reason for the removal',
  changes: 'What Changed',
  guardReason: 'Reason for keeping it',
} as const

const report = z.object({
  id,
  requisitionId: id,
  reportOriginalFileName: z.string(),
  /** null for those who do not see lab QC; they get released reports only. */
  labQcStatusCode: z.enum(labQcCodes).nullable(),
  reportIsDelivered: flag01,
  qcTypeCode: z.string(),
  qcTypeDesc: z.string(),
  reviewDate: time.nullable(),
  releaseDate: time.nullable(),
  repeatDate: time.nullable(),
  latestTransmitMethodDesc: text,
  latestDeliveredByName: text,
  latestDeliveryDate: time.nullable(),
  /** Released, so it may be downloaded and delivered. */
  isDownloadable: flag01,
  /** Generated from the results, not uploaded. */
  isMadeHere: flag01,
  /** The current version; the earlier ones are superseded. */
  versionNo: id,
  correctionReason: text,
  /** Was released before: from then on a change is a correction. */
  isCorrectable: flag01,
  /** Lines 'changed from … to …'. */
  changes: z.array(z.string()),
  /** Which identity checks failed, and why a user accepted the file nevertheless; null if all passed, and for other readers. */
  guardFinding: text,
  guardReason: text,
  version: id,
})
export type Report = z.infer<typeof report>

/** The date of the current lab QC result (DELIV-29 to DELIV-31); PENDING and HOLD have none. */
export const labQcDate = (row: Pick<Report, 'labQcStatusCode' | 'releaseDate' | 'repeatDate' | 'reviewDate'>) => {
  if (row.labQcStatusCode === 'RELEASE') return row.releaseDate
  if (row.labQcStatusCode === 'REPEAT') return row.repeatDate
  return row.labQcStatusCode === 'MD' ? row.reviewDate : null
}

const reportHistory = z.object({
  id,
  reportId: id,
  reportOriginalFileName: z.string(),
  versionNo: id.nullable(),
  reportActionDate: time,
  reportActionDesc: z.string(),
  reportActionByName: text,
})
export type ReportHistory = z.infer<typeof reportHistory>

/** A version of a report; all but the last are superseded and remain available. */
const reportVersion = z.object({
  id,
  reportId: id,
  versionNo: id,
  reportOriginalFileName: z.string(),
  isSuperseded: flag01,
  correctionReason: text,
  /** Lines 'changed from … to …'. */
  changes: z.array(z.string()),
  createdDate: time,
  createdByName: text,
  /** The receivers of this version, by name and method. */
  recipients: z.array(z.string()),
})
export type ReportVersion = z.infer<typeof reportVersion>

/**
 * The comparison of a file with the record. A report that fails it is refused (409) with this as `current`, and is
 * accepted only with a decision on exactly this finding.
 */
const reportCheck = z.object({
  /** 'Patient Name differs; Patient DOB not found in the file' */
  finding: z.string(),
  compared: z.array(fieldComparison),
  /** The patient of the requisition. */
  patientId: id,
})
export type ReportCheck = z.infer<typeof reportCheck>

/** A user accepts a report that failed the check: what they saw, and why. Refused if the finding has changed. */
export const reportCheckDecision = z.object({
  seenFinding: z.string().max(1000),
  seenPatientId: idParam,
  reason: required(reportLabels.guardReason, 1000),
})
export type ReportCheckDecision = z.infer<typeof reportCheckDecision>

/** Asked before an uploaded report is released whose requisition has changed since: nobody but a person can tell what the file shows. */
export const recordChangedQuestion = 'RECORD_CHANGED'

const fileName = z.string({ error: messages.fileMissing }).trim().min(1, messages.fileMissing).max(255)
const decision = reportCheckDecision.optional()
const reportInput = z.object({ reportFileName: fileName, reportOriginalFileName: fileName, decision })
export const correctionInput = z.object({
  correctionReason: required(reportLabels.correctionReason, 1000),
  /** Without a file the new version is generated from the results. */
  reportFileName: fileName.optional(),
  reportOriginalFileName: fileName.optional(),
  decision,
  /** `version` of the report that the user saw: only one of several concurrent corrections is saved. */
  version: z
    .number({ error: messages.invalid(reportLabels.versionNo) })
    .int()
    .positive()
    .max(2_147_483_647)
    .optional(),
})

export const reportQuestions = {
  /** A generated report that is released or waits for lab QC already has the same content. */
  same: 'SAME_REPORT',
} as const

export const removalInput = z.object({ reason: required(reportLabels.removalReason, 1000) })

/** The result of the `makeMany` job: how many reports it created, and why the others failed. */
export interface CreatedReports {
  made: number
  failed: { id: number; reason: string }[]
}

const whole = (sort: readonly string[]) => listQuery({ sort: [...sort], filter: ['id'], defaultPerPage: -1 })
const ofReport = z.object({ reqID: idParam, reportID: idParam })
const versionNo = z.coerce.number<string | number>().int().positive().max(1000).optional()

export const reportRoutes = {
  list: get('requisitions/:id/reports', {
    access: 'reports.read',
    params: byId,
    query: whole(['id', 'reportOriginalFileName']),
    reply: page(report),
  }),
  histories: get('requisitions/:id/rep_histories', {
    access: 'reports.read',
    params: byId,
    query: whole(['reportActionDate']),
    reply: page(reportHistory),
  }),
  versions: get('requisitions/:id/report_versions', {
    access: 'reports.read',
    summary: 'Every version of the corrected reports, with its receivers',
    params: byId,
    query: whole(['versionNo']),
    reply: page(reportVersion),
  }),
  add: post('requisitions/:id/reports', {
    access: 'reports.edit',
    summary: 'Registers an uploaded report; one that fails the identity check needs a decision (409 has the finding)',
    params: byId,
    body: reportInput,
    reply: newId,
  }),
  make: post('requisitions/:id/reports/make', {
    access: 'reports.edit',
    summary: 'Generates a report from the results',
    params: byId,
    body: z.object({}),
    asks: [reportQuestions.same],
    repeatsWithinMs: repeatWindowMs,
    reply: newId,
  }),
  makeMany: post('requisitions/bulk_reports', {
    access: 'reports.edit',
    summary: 'Generates reports for many requisitions; with dryRun nothing is created and the reply says what would be',
    body: z.object({ reqIds: requiredIds('Requisition'), dryRun: z.boolean().default(false) }),
    /** The job that creates them; null if there is nothing to do. */
    reply: one(outcome.extend({ jobId: z.string().nullable() })),
  }),
  releaseMany: post('requisitions/bulk_release', {
    access: 'reports.edit',
    summary:
      'Lab QC releases the pending reports of many requisitions; with dryRun nothing changes and the reply says what would',
    body: z.object({ reqIds: requiredIds('Requisition', 100), dryRun: z.boolean().default(false) }),
    reply: one(outcome),
  }),
  setLabQc: put('requisitions/:reqID/reports/:reportID', {
    access: 'reports.edit',
    asks: [recordChangedQuestion],
    params: ofReport,
    body: z.object({ labQcStatusCode: z.enum(labQcCodes, { error: messages.invalid(reportLabels.labQcStatusCode) }) }),
    reply: one(z.object({ id, version: id })),
  }),
  correct: post('requisitions/:reqID/reports/:reportID/corrections', {
    access: 'reports.edit',
    summary: 'A new version of a released report; the old one stays, marked as superseded',
    params: ofReport,
    body: correctionInput,
    reply: newId,
  }),
  remove: del('requisitions/:reqID/reports/:reportID', {
    access: 'reports.edit',
    summary: 'Removes a report that was never released; its history stays',
    params: ofReport,
    body: removalInput,
    reply: done,
  }),
  view: get('reports/:id/view', {
    access: 'reports.view',
    patientData: true,
    params: byId,
    query: z.object({ versionNo }),
    reply: one(z.object({ url: z.string() })),
  }),
  download: post('requisitions/:id/download', {
    access: 'reports.download',
    patientData: true,
    params: byId,
    body: z.object({
      callSource: z.enum(downloadSources, { error: messages.invalid('callSource') }),
      reportIds: z.array(requiredId('Report')).min(1, messages.required('Report')).max(100),
      /** For a single corrected report: the requested version. */
      versionNo,
    }),
    reply: download,
  }),
}
