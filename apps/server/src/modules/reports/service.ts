import type { LabQcStatusCode, qcTypes } from '@lis/contract/reports.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { GuardOverride } from '../guard/service.ts'
import { requireQualityControlSettled } from '../quality-control/lookbacks.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { findReportContent, type ReportContent, withoutEarlierValues } from './content.ts'
import type { ReportFile } from './queries.ts'
import { listValidSignatures, makeReleasedFile, planRelease, requireChecks, requireSignature } from './release.ts'
import type { StoredReport, Tools } from './store-report.ts'

export interface FilingOptions {
  isMadeHere?: boolean
  /** The origin, for the history: 'batch 12'. */
  detail?: string
  /** If the caller has read it already. */
  content?: ReportContent
  /** A person's decision against the guard's finding. */
  guardOverride?: GuardOverride | null
}

/** Adds a stored PDF to a requisition as a new report with lab QC pending; every new report is added here. */
export const fileReport = async (
  write: WriteCall,
  requisitionId: number,
  file: StoredReport,
  options: FilingOptions = {},
): Promise<{ id: number }> => {
  const { db, actor, requestId } = write
  await lockRequisition(db, actor, requisitionId)
  const { isMadeHere = false, detail, guardOverride = null } = options
  const content = options.content ?? withoutEarlierValues(await findReportContent(db, requisitionId))
  const { id } = await db
    .insertInto('report')
    .values({ requisition_id: requisitionId, qc_type_code: 'LAB' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('report_version')
    .values({
      report_id: id,
      version_no: 1,
      file_id: file.id,
      created_by: actor.userId,
      content: JSON.stringify(content),
      is_made_here: isMadeHere,
      ...guardColumns(guardOverride),
    })
    .execute()
  await addReportEvents(db, actor.userId, [
    { reportId: id, versionNo: 1, action: isMadeHere ? 'MAKE' : 'UPLOAD', ...(detail && { detail }) },
    ...guardDecisionEvent(id, 1, guardOverride),
  ])
  await recordAudit(db, actor, requestId, {
    entity: 'report',
    entityId: id,
    requisitionId,
    action: 'REPORT',
    ...(guardOverride && { reason: guardOverride.reason }),
    new: {
      reportOriginalFileName: file.originalName,
      sha256: file.sha256.toString('hex'),
      ...(guardOverride && { guardFinding: guardOverride.finding }),
    },
  })
  await publish(db, { topic: 'requisitions', data: { reported: 1 } })
  return { id }
}

export const guardColumns = (guardOverride: GuardOverride | null) => ({
  guard_finding: guardOverride?.finding ?? null,
  guard_reason: guardOverride?.reason ?? null,
})
export const guardDecisionEvent = (
  reportId: number,
  versionNo: number,
  guardOverride: GuardOverride | null,
): ReportEvent[] =>
  guardOverride
    ? [{ reportId, versionNo, action: 'KEEP', detail: `${guardOverride.finding}. Reason: ${guardOverride.reason}` }]
    : []

export interface ReportEvent {
  reportId: number
  versionNo: number
  action: string
  detail?: string
  /** For a release only, see `contentAtRelease`. */
  content?: ReportContent
}

export const addReportEvents = async (trx: Trx, actorId: number | null, events: readonly ReportEvent[]) => {
  if (events.length === 0) return
  await trx
    .insertInto('report_event')
    .values(
      events.map(({ reportId, versionNo, action, detail, content }) => ({
        report_id: reportId,
        version_no: versionNo,
        action_code: action,
        actor_id: actorId,
        detail: detail?.slice(0, 500) ?? null,
        content: content ? JSON.stringify(content) : null,
      })),
    )
    .execute()
}

/** Records each view and download; one by a recipient also marks its delivery as opened. */
export const recordReportAccess = async (
  { db, actor }: WriteCall,
  files: readonly Pick<ReportFile, 'report_id' | 'version_no'>[],
  action: 'VIEW' | 'DOWNLOAD',
  detail?: string,
) => {
  // Reads in 'View as' are not recorded here; the access log has both names.
  if (actor.viewer) return
  await addReportEvents(
    db,
    actor.userId,
    files.map((file) => ({
      reportId: file.report_id,
      versionNo: file.version_no,
      action,
      ...(detail && { detail }),
    })),
  )
  const isOwn = ownDeliveries(actor)
  if (!isOwn) return
  const [reports, versions] = [files.map(({ report_id }) => report_id), files.map(({ version_no }) => version_no)]
  await sql`update report_delivery d set opened_at = now() from requisition r, unnest(${reports}::bigint[], ${versions}::int[]) as f(report_id, version_no)
    where r.id = d.requisition_id and d.report_id = f.report_id and d.report_version_no = f.version_no
      and d.opened_at is null and d.delivered_at is not null and ${isOwn}`.execute(db)
}

/** The deliveries `d` of requisition `r` that went to the reader's side. A physician reads for the ordering practice, or for the one that gets the copy. */
const ownDeliveries = ({ role, entityId }: Actor) => {
  const isTo = (kind: string, party: string) => sql`(d.recipient_kind = ${kind} and d.party_id = ${sql.ref(party)})`
  if (role === 'CLNT') return sql`(${isTo('CLIENT', 'r.client_id')} and r.client_id = ${entityId})`
  if (role === 'COLA') return sql`(${isTo('COLA', 'r.collaborator_id')} and r.collaborator_id = ${entityId})`
  if (role !== 'PHYS') return null
  return sql`((${isTo('CLIENT', 'r.client_id')} and (r.physician_id = ${entityId} or (r.copy_physician_id = ${entityId} and r.copy_to_client_id is null)))
    or (${isTo('COPY', 'r.copy_to_client_id')} and r.copy_physician_id = ${entityId}))`
}

const qcActions: Record<LabQcStatusCode, string> = {
  PENDING: 'PENDING',
  RELEASE: 'RELEASE',
  REPEAT: 'REPEAT',
  MD: 'REVIEW',
  HOLD: 'HOLD',
}

interface QcOptions {
  /** Needed for a release, which makes a file. */
  tools?: Tools
  expected?: number | null
  why?: string | undefined
  /** What a signature has fixed already: it releases by itself. */
  signed?: { content: ReportContent | null }
}

export interface QcChange {
  id: number
  version: number
  versionNo: number
  /** Released by this change. */
  isReleased: boolean
}

/** Sets the decision of lab QC and its date. */
export const setLabQc = async (
  { db, actor, requestId, questions }: WriteCall & { questions?: Questions },
  path: { reqID: number; reportID: number },
  code: LabQcStatusCode,
  { tools, expected = null, why: given, signed }: QcOptions = {},
): Promise<QcChange> => {
  await lockRequisition(db, actor, path.reqID)
  const found = await lockReport(db, path)
  await requireVersion(db, 'report', expected, found)
  const before = found.lab_qc_status_code
  const versionNo = found.current_version_no
  if (before === code) return { id: found.id, version: found.version, versionNo, isReleased: false }
  // Without a signature this is one of the checks.
  if (signed) await requireQualityControlSettled(db, path.reqID)
  const content =
    code === 'RELEASE'
      ? (signed ?? (await fixContent({ db, actor, requestId }, tools, found, questions))).content
      : null
  const why = given ?? questions?.history
  const now = sql<string>`now()`
  const { version } = await db
    .updateTable('report')
    .set({
      lab_qc_status_code: code,
      version: sql<number>`version + 1`,
      ...(code === 'RELEASE' && {
        release_at: now,
        first_release_at: sql<string>`coalesce(first_release_at, release_at, now())`,
      }),
      ...(code === 'REPEAT' && { repeat_at: now }),
      ...(code === 'MD' && { review_at: now, qc_type_code: 'MD' }),
      ...(code === 'RELEASE' && { qc_type_code: await qcTypeOf(db, found.id, actor.userId) }),
    })
    .where('id', '=', found.id)
    .returning('version')
    .executeTakeFirstOrThrow()
  await addReportEvents(db, actor.userId, [
    {
      reportId: found.id,
      versionNo,
      action: qcActions[code],
      ...(why && { detail: why }),
      ...(content && { content }),
    },
  ])
  await recordAudit(db, actor, requestId, {
    entity: 'report',
    entityId: found.id,
    requisitionId: path.reqID,
    action: 'REPORT',
    ...(why && { reason: why }),
    old: { labQcStatusCode: before },
    new: { labQcStatusCode: code },
  })
  await publish(db, { topic: 'requisitions', data: { reported: 1 } })
  return { id: found.id, version, versionNo, isReleased: code === 'RELEASE' }
}

/** Checks what the release says, makes its file, and returns the content to keep with it. */
const fixContent = async (
  write: WriteCall,
  tools: Tools | undefined,
  report: Awaited<ReturnType<typeof lockReport>>,
  questions: Questions | undefined,
): Promise<{ content: ReportContent | null }> => {
  if (!tools) throw new Error('A release needs the tools that make its file')
  const plan = await planRelease(write.db, report, { questions })
  await requireSignature(write.db, plan)
  requireChecks(plan.checks)
  const signatures = await listValidSignatures(write.db, plan.reportId, plan.versionNo)
  await makeReleasedFile(write, tools, plan, { at: new Date(), signatures })
  return { content: plan.contentToKeep }
}

/** A report that was sent to review and is released by another person was decided by the medical director. */
const qcTypeOf = async (db: Trx, reportId: number, releasedBy: number): Promise<keyof typeof qcTypes> => {
  const review = await db
    .selectFrom('report_event')
    .select('actor_id')
    .where('report_id', '=', bigint(reportId))
    .where('action_code', '=', sql.lit('REVIEW'))
    .orderBy('id', 'desc')
    .limit(sql.lit(1))
    .executeTakeFirst()
  return review && review.actor_id !== releasedBy ? 'MD' : 'LAB'
}

export const lockReport = async (trx: Trx, { reqID, reportID }: { reqID: number; reportID: number }) => {
  const found = await trx
    .selectFrom('report')
    .selectAll()
    .where('id', '=', reportID)
    .where('requisition_id', '=', reqID)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!found) throw notFound('Report')
  return found
}

export const deleteReport = (trx: Trx, id: number) =>
  trx
    .updateTable('report')
    .set((eb) => ({ deleted_at: sql<string>`now()`, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
