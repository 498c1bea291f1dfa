import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { storeFile } from '../../platform/storage/stored-files.ts'
import type { GuardOverride } from '../guard/service.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { findReportContent, type ReportContent, withoutEarlierValues } from './content.ts'
import { changedCodes, changesBetween, findOutdatedFacts, withdrawnSince } from './content-changes.ts'
import { makeCopyWithCorrectionPage } from './pdf-copies.ts'
import { findContentOfVersion, getLatestReleasedVersion } from './queries.ts'
import { voidSignatures } from './release.ts'
import { addReportEvents, guardColumns, guardDecisionEvent, lockReport } from './service.ts'
import { requirePrintable, type StoredReport, storeReport, type Tools } from './store-report.ts'
import type { VerifiedUpload } from './uploads.ts'

interface CorrectionOptions {
  reason: string
  /** The report's version that the writer saw; null if not given. */
  expected: number | null
}

/** A new version of a released report, made from the current results. */
export const correctFromResults = async (
  write: WriteCall,
  tools: Tools,
  path: { reqID: number; reportID: number },
  { reason, expected }: CorrectionOptions,
) => {
  const plan = await planCorrection(write, path, { isMadeHere: true, expected })
  const file = await storeReport(write, tools, plan.content, versionInfo(plan, reason))
  return addCorrection(write, plan, file, reason)
}

const versionInfo = (
  { versionNo, replacesVersionNo, changes, changedCodes }: Awaited<ReturnType<typeof planCorrection>>,
  reason: string,
) => ({ versionNo, madeAt: new Date(), correction: { replacesVersionNo, reason, changes, changedCodes } })

/** A new version made elsewhere: gets a first page with the reason and the changes. The uploaded file is stored too. */
export const correctByUpload = async (
  write: WriteCall,
  tools: Tools,
  path: { reqID: number; reportID: number },
  { reason, expected }: CorrectionOptions,
  upload: VerifiedUpload,
) => {
  const plan = await planCorrection(write, path, { isMadeHere: false, expected })
  await requirePrintable([['the reason', reason]])
  const cover = { requisitionId: path.reqID, patient: plan.content.patient.name, info: versionInfo(plan, reason) }
  const body = await makeCopyWithCorrectionPage(
    () => tools.store.read(upload.key, upload.sha256.toString('hex')),
    cover,
  )
  const stored = await storeFile(write.db, tools.store, {
    key: `requisitions/${path.reqID}/report/${randomUUID()}.pdf`,
    body,
    originalName: upload.originalName,
    contentType: 'application/pdf',
    createdBy: write.actor.userId,
  })
  const file = { ...stored, originalName: upload.originalName }
  return addCorrection(write, plan, file, reason, upload.guardOverride)
}

/**
 * The content of a new version and its changes against the latest released version; nobody has seen unreleased ones in between. Only a
 * report that was released is corrected; before that another file is uploaded.
 */
const planCorrection = async (
  write: WriteCall,
  path: { reqID: number; reportID: number },
  { isMadeHere, expected }: { isMadeHere: boolean; expected: number | null },
) => {
  await lockRequisition(write.db, write.actor, path.reqID)
  const report = await lockReport(write.db, path)
  if (!report.release_at)
    throw conflict('Only a report that has been released is corrected; upload another one instead')
  await requireVersion(write.db, 'report', expected, report)
  const before = await getLatestReleasedVersion(write.db, report.id)
  const now = await findReportContent(write.db, path.reqID)
  const content = isMadeHere ? now : withoutEarlierValues(now)
  const changes = changesBetween(before.content, content)
  if (expected === null) await requireNoPendingCorrection(write.db, report, content, changes)
  return {
    report,
    isMadeHere,
    content,
    changes,
    changedCodes: changedCodes(before.content, content),
    withdrawn: withdrawnSince(before.content, content),
    replacesVersionNo: before.version_no,
    versionNo: report.current_version_no + 1,
  }
}

/** If the call names no version, a pending version with the same content is not corrected again. */
const requireNoPendingCorrection = async (
  db: Trx,
  report: Awaited<ReturnType<typeof lockReport>>,
  now: ReportContent,
  changes: readonly string[],
) => {
  const { current_version_no: versionNo, lab_qc_status_code: qc } = report
  if (versionNo === 1 || qc === 'RELEASE') return
  const pending = await findContentOfVersion(db, report.id, versionNo)
  if (pending && findOutdatedFacts(pending, now).length === 0 && isDeepStrictEqual(pending.changes, changes))
    throw conflict(
      `Version ${versionNo} of this report already waits for lab QC. Name its version to correct it again.`,
    )
}

/** Adds a version; old ones are never changed. It needs lab QC like every report; until then readers get the old one, marked as superseded. */
const addCorrection = async (
  { db, actor, requestId }: WriteCall,
  plan: Awaited<ReturnType<typeof planCorrection>>,
  file: StoredReport,
  reason: string,
  guardOverride: GuardOverride | null = null,
) => {
  const { report, isMadeHere, versionNo, content, changes, replacesVersionNo, withdrawn } = plan
  await db
    .insertInto('report_version')
    .values({
      report_id: report.id,
      version_no: versionNo,
      file_id: file.id,
      is_correction: true,
      correction_reason: reason,
      created_by: actor.userId,
      content: JSON.stringify({ ...content, changes, replacesVersionNo, withdrawn }),
      is_made_here: isMadeHere,
      ...guardColumns(guardOverride),
    })
    .execute()
  await db
    .updateTable('report')
    .set({ current_version_no: versionNo, lab_qc_status_code: 'PENDING', version: sql<number>`version + 1` })
    .where('id', '=', report.id)
    .execute()
  await voidSignatures({ db, actor, requestId }, report, `Version ${versionNo} replaces what was signed`)
  await addReportEvents(db, actor.userId, [
    { reportId: report.id, versionNo, action: 'CORRECT', detail: reason },
    ...guardDecisionEvent(report.id, versionNo, guardOverride),
  ])
  await recordAudit(db, actor, requestId, {
    entity: 'report',
    entityId: report.id,
    requisitionId: report.requisition_id,
    action: 'REPORT',
    reason,
    old: { versionNo: versionNo - 1 },
    new: {
      versionNo,
      reportOriginalFileName: file.originalName,
      sha256: file.sha256.toString('hex'),
      changes,
      ...(guardOverride && { guardFinding: guardOverride.finding, guardReason: guardOverride.reason }),
    },
  })
  await publish(db, { topic: 'requisitions', data: { reported: 1 } })
  return { id: report.id }
}
