import { isDeepStrictEqual } from 'node:util'
import type { LabQcStatusCode, qcTypes } from '@lis/contract/reports.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { GuardOverride } from '../guard/service.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import {
  changedCodes,
  changesBetween,
  findReportContent,
  outdatedIn,
  type ReportContent,
  withdrawnSince,
} from './content.ts'
import { contentOfVersion, findContentOfVersion, findLatestOut, type ReportFile } from './queries.ts'

/** A file in `stored_file`, as `registerFile` and `storeFile` give it. */
export interface StoredReport {
  id: number
  originalName: string
  sha256: Buffer
}

export interface FilingOptions {
  isMadeHere?: boolean
  /** Why it came, for the history: 'batch 12'. */
  detail?: string
  /** Read already by the caller. */
  content?: ReportContent
  /** What a person decided against the guard. */
  kept?: GuardOverride | null
}

/** Puts a stored PDF on a requisition as a new report, with lab QC pending. Every way a report comes in ends here. */
export const fileReport = async (
  write: WriteCall,
  requisitionId: number,
  file: StoredReport,
  options: FilingOptions = {},
): Promise<{ id: number }> => {
  const { db, actor, requestId } = write
  await lockRequisition(db, actor, requisitionId)
  const { isMadeHere = false, detail, kept = null } = options
  const content = options.content ?? withoutEarlier(await findReportContent(db, requisitionId))
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
      ...guardColumns(kept),
    })
    .execute()
  await addReportEvents(db, actor.userId, [
    { reportId: id, versionNo: 1, action: isMadeHere ? 'MAKE' : 'UPLOAD', ...(detail && { detail }) },
    ...keptEvent(id, 1, kept),
  ])
  await recordAudit(db, actor, requestId, {
    entity: 'report',
    entityId: id,
    requisitionId,
    action: 'REPORT',
    ...(kept && { reason: kept.reason }),
    new: {
      reportOriginalFileName: file.originalName,
      sha256: file.sha256.toString('hex'),
      ...(kept && { guardFinding: kept.finding }),
    },
  })
  await publish(db, { topic: 'requisitions', data: { reported: 1 } })
  return { id }
}

const guardColumns = (kept: GuardOverride | null) => ({
  guard_finding: kept?.finding ?? null,
  guard_reason: kept?.reason ?? null,
})
const keptEvent = (reportId: number, versionNo: number, kept: GuardOverride | null): ReportEvent[] =>
  kept ? [{ reportId, versionNo, action: 'KEEP', detail: `${kept.finding}. Reason: ${kept.reason}` }] : []

export interface ReportEvent {
  reportId: number
  versionNo: number
  action: string
  detail?: string
  /** Only of a release, see `contentAtRelease`. */
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

/** Every look leaves a row; a look of the receiving side also shows in the ledger that it has arrived. */
export const noteReading = async (
  { db, actor }: WriteCall,
  files: readonly Pick<ReportFile, 'report_id' | 'version_no'>[],
  action: 'VIEW' | 'DOWNLOAD',
  detail?: string,
) => {
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
  const isReaders = ownRows(actor)
  if (!isReaders) return
  const [reports, versions] = [files.map(({ report_id }) => report_id), files.map(({ version_no }) => version_no)]
  await sql`update report_delivery d set opened_at = now() from requisition r, unnest(${reports}::bigint[], ${versions}::int[]) as f(report_id, version_no)
    where r.id = d.requisition_id and d.report_id = f.report_id and d.report_version_no = f.version_no
      and d.opened_at is null and d.delivered_at is not null and ${isReaders}`.execute(db)
}

/** Which rows `d` of the ledger, on requisition `r`, went to the reader's own side. A physician reads for the practice that ordered, or for the one that gets the copy. */
const ownRows = ({ role, entityId }: Actor) => {
  const of = (kind: string, party: string) => sql`(d.recipient_kind = ${kind} and d.party_id = ${sql.ref(party)})`
  if (role === 'CLNT') return sql`(${of('CLIENT', 'r.client_id')} and r.client_id = ${entityId})`
  if (role === 'COLA') return sql`(${of('COLA', 'r.collaborator_id')} and r.collaborator_id = ${entityId})`
  if (role !== 'PHYS') return null
  return sql`((${of('CLIENT', 'r.client_id')} and (r.physician_id = ${entityId} or (r.copy_physician_id = ${entityId} and r.copy_to_client_id is null)))
    or (${of('COPY', 'r.copy_to_client_id')} and r.copy_physician_id = ${entityId}))`
}

const qcActions: Record<LabQcStatusCode, string> = {
  PENDING: 'PENDING',
  RELEASE: 'RELEASE',
  REPEAT: 'REPEAT',
  MD: 'REVIEW',
  HOLD: 'HOLD',
}

export interface QcChange {
  id: number
  version: number
  versionNo: number
  /** It has just come out. */
  isReleased: boolean
}

/** The decision of lab QC; each result with a date of its own sets it anew. */
export const setLabQc = async (
  { db, actor, requestId }: WriteCall,
  path: { reqID: number; reportID: number },
  code: LabQcStatusCode,
  { expected = null, why }: { expected?: number | null; why?: string } = {},
): Promise<QcChange> => {
  await lockRequisition(db, actor, path.reqID)
  const found = await lockReport(db, path)
  await requireVersion(db, 'report', expected, found)
  const before = found.lab_qc_status_code
  const versionNo = found.current_version_no
  if (before === code) return { id: found.id, version: found.version, versionNo, isReleased: false }
  const content = code === 'RELEASE' ? await contentAtRelease(db, found) : null
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

/** The medical director has decided when the report was sent to review and somebody else than the one who sent it there lets it out. */
const qcTypeOf = async (db: Trx, reportId: number, releasedBy: number): Promise<keyof typeof qcTypes> => {
  const { rows } = await sql<{ actor_id: number | null }>`
    select actor_id from report_event where report_id = ${reportId}::bigint and action_code = 'REVIEW' order by id desc limit 1`.execute(
    db,
  )
  return rows[0] && rows[0].actor_id !== releasedBy ? 'MD' : 'LAB'
}

/**
 * A report made here is made anew in a moment: there is no reason to let one out that says what is no longer so. A file made elsewhere is
 * released because it agrees with the record of now, whatever that said when the file came: that is given back, unless it is known already.
 */
const contentAtRelease = async (
  db: Trx,
  report: Awaited<ReturnType<typeof lockReport>>,
): Promise<ReportContent | null> => {
  const { rows } = await sql<{ is_made_here: boolean; made: ReportContent | null; known: ReportContent | null }>`
    select v.is_made_here, v.content as made, ${contentOfVersion} as known from report_version v
    where v.report_id = ${report.id}::bigint and v.version_no = ${report.current_version_no}`.execute(db)
  const { is_made_here: isMadeHere, made, known } = rows[0] as (typeof rows)[number]
  if (!made) return null
  const now = await findReportContent(db, report.requisition_id)
  if (!isMadeHere) {
    const said = saidByFile(made, withoutEarlier(now))
    await requireChangesStillSo(db, report.id, said, withoutEarlier(now))
    return isDeepStrictEqual(said, known) ? null : said
  }
  const outdated = outdatedIn(made, now)
  if (outdated.length === 0) return null
  const instead = report.release_at ? 'correct it instead' : 'make a new one instead'
  throw conflict(`The record has changed since this report was made (${outdated.join(', ')}): ${instead}`)
}

/** The first page of such a correction was drawn when it came, and HL7 messages say the same: neither may speak of other values than its own. */
const requireChangesStillSo = async (db: Trx, reportId: number, said: ReportContent, now: ReportContent) => {
  const { changes, replacesVersionNo } = said
  // Corrections of earlier days do not say what they were compared with.
  if (!changes || replacesVersionNo === undefined) return
  const replaced = await findContentOfVersion(db, reportId, replacesVersionNo)
  // What was open when it came and stands on the version before has changed too, though the file may not show it.
  const codes = new Set([...said.results, ...(replaced?.results ?? [])].map(({ code }) => code))
  const results = now.results.filter(({ code }) => codes.has(code))
  if (!isDeepStrictEqual(changesBetween(replaced, { ...said, results }), changes))
    throw conflict('The first page of this correction no longer says what has changed: upload it again')
}

/** What a file made elsewhere says of the record: it does not print our earlier values. */
const withoutEarlier = (content: ReportContent): ReportContent => ({
  ...content,
  results: content.results.map(({ earlier: _, ...result }) => result),
})

/** The record of now, as far as it was there when the file came: results that have come since do not stand on it. */
const saidByFile = (made: ReportContent, now: ReportContent): ReportContent => {
  const codes = new Set(made.results.map(({ code }) => code))
  const since = now.results.filter(({ code }) => !codes.has(code))
  return {
    // What only a correction says of itself stays.
    ...made,
    ...now,
    results: now.results.filter(({ code }) => codes.has(code)),
    pending: [...now.pending, ...since.map(({ name }) => name)],
  }
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

/**
 * What a new version of this report would say has changed, against the latest one that was out: what lies between was seen by nobody.
 * Only what was once out is corrected; before that another file is uploaded.
 */
export const planCorrection = async (
  write: WriteCall,
  path: { reqID: number; reportID: number },
  { isMadeHere, expected }: { isMadeHere: boolean; expected: number | null },
) => {
  await lockRequisition(write.db, write.actor, path.reqID)
  const report = await lockReport(write.db, path)
  if (!report.release_at)
    throw conflict('Only a report that has been released is corrected; upload another one instead')
  await requireVersion(write.db, 'report', expected, report)
  const before = await findLatestOut(write.db, report.id)
  const now = await findReportContent(write.db, path.reqID)
  const content = isMadeHere ? now : withoutEarlier(now)
  const changes = changesBetween(before.content, content)
  if (expected === null) await requireNoneWaiting(write.db, report, content, changes)
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

/** Without a word on which version is corrected, one that waits for lab QC and says the same is not corrected a second time. */
const requireNoneWaiting = async (
  db: Trx,
  report: Awaited<ReturnType<typeof lockReport>>,
  now: ReportContent,
  changes: readonly string[],
) => {
  const { current_version_no: versionNo, lab_qc_status_code: qc } = report
  if (versionNo === 1 || qc === 'RELEASE') return
  const waiting = await findContentOfVersion(db, report.id, versionNo)
  if (waiting && outdatedIn(waiting, now).length === 0 && isDeepStrictEqual(waiting.changes, changes))
    throw conflict(
      `Version ${versionNo} of this report already waits for lab QC. Name its version to correct it again.`,
    )
}

/** A new version beside the old one, which is never touched. It goes through QC like every report; until then only the old one can be had, marked as superseded. */
export const addCorrection = async (
  { db, actor, requestId }: WriteCall,
  plan: Awaited<ReturnType<typeof planCorrection>>,
  file: StoredReport,
  reason: string,
  kept: GuardOverride | null = null,
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
      ...guardColumns(kept),
    })
    .execute()
  await db
    .updateTable('report')
    .set({ current_version_no: versionNo, lab_qc_status_code: 'PENDING', version: sql<number>`version + 1` })
    .where('id', '=', report.id)
    .execute()
  await addReportEvents(db, actor.userId, [
    { reportId: report.id, versionNo, action: 'CORRECT', detail: reason },
    ...keptEvent(report.id, versionNo, kept),
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
      ...(kept && { guardFinding: kept.finding, guardReason: kept.reason }),
    },
  })
  await publish(db, { topic: 'requisitions', data: { reported: 1 } })
  return { id: report.id }
}
