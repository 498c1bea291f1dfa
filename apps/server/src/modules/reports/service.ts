import { isDeepStrictEqual } from 'node:util'
import { type LabQcStatusCode, type qcTypes, recordChangedQuestion } from '@lis/contract/reports.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { requireVersion } from '../../platform/http/version.ts'
import type { GuardOverride } from '../guard/service.ts'
import { requireQualityControlSettled } from '../quality-control/lookbacks.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { findReportContent, type ReportContent, withoutEarlierValues } from './content.ts'
import { changesBetween, findOutdatedFacts, findOutdatedFactsOfDraft } from './content-changes.ts'
import { contentOfVersion, findContentOfVersion, type ReportFile } from './queries.ts'

/** A file in `stored_file`, as `registerFile` and `storeFile` give it. */
export interface StoredReport {
  id: number
  originalName: string
  sha256: Buffer
}

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
  // An administrator who sees what this person sees leaves no trace here; the access log has both names.
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
  { expected = null, why: given }: { expected?: number | null; why?: string } = {},
): Promise<QcChange> => {
  await lockRequisition(db, actor, path.reqID)
  const found = await lockReport(db, path)
  await requireVersion(db, 'report', expected, found)
  const before = found.lab_qc_status_code
  const versionNo = found.current_version_no
  if (before === code) return { id: found.id, version: found.version, versionNo, isReleased: false }
  if (code === 'RELEASE') await requireQualityControlSettled(db, path.reqID)
  const content = code === 'RELEASE' ? await contentAtRelease(db, found, questions) : null
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

/**
 * An outdated report made here is refused, since a new one is quickly made. A file made elsewhere is released because it agrees with the
 * record as it is now, which may have changed since the upload: returns that content, or null if it is stored already.
 */
const contentAtRelease = async (
  db: Trx,
  report: Awaited<ReturnType<typeof lockReport>>,
  questions: Questions | undefined,
): Promise<ReportContent | null> => {
  const { isMadeHere, made, known } = await db
    .selectFrom('report_version as v')
    .select((eb) => [
      'v.is_made_here as isMadeHere',
      eb.ref('v.content').$castTo<ReportContent | null>().as('made'),
      contentOfVersion.as('known'),
    ])
    .where('v.report_id', '=', bigint(report.id))
    .where('v.version_no', '=', report.current_version_no)
    .executeTakeFirstOrThrow()
  if (!made) return null
  const now = await findReportContent(db, report.requisition_id)
  if (!isMadeHere) {
    const content = contentOfUpload(made, withoutEarlierValues(now))
    await requireChangesCurrent(db, report.id, content, withoutEarlierValues(now))
    askAboutChanges(questions, findOutdatedFacts(known ?? made, content))
    return isDeepStrictEqual(content, known) ? null : content
  }
  const outdated = report.release_at ? findOutdatedFacts(made, now) : findOutdatedFactsOfDraft(made, now)
  if (outdated.length === 0) return null
  const instead = report.release_at ? 'correct it instead' : 'make a new one instead'
  throw conflict(`The record has changed since this report was made (${outdated.join(', ')}): ${instead}`)
}

const askAboutChanges = (questions: Questions | undefined, changed: readonly string[]) => {
  if (changed.length > 0)
    questions?.ask({
      code: recordChangedQuestion,
      field: 'labQcStatusCode',
      message: `The record has changed since this file was uploaded or last released (${changed.join(', ')}). Does the file show what is in the record now?`,
      choices: [{ value: 'SAVE', label: 'It does, release it' }],
    })
  questions?.requireAnswers()
}

/** The first page of an uploaded correction, and its HL7 message, list the changes as of the upload: they must still be right. */
const requireChangesCurrent = async (db: Trx, reportId: number, content: ReportContent, now: ReportContent) => {
  const { changes, replacesVersionNo } = content
  // Older corrections do not name the version they were compared with.
  if (!changes || replacesVersionNo === undefined) return
  const replaced = await findContentOfVersion(db, reportId, replacesVersionNo)
  // A result of the replaced version that was open at the upload counts too, even if the file does not show it.
  const codes = new Set([...content.results, ...(replaced?.results ?? [])].map(({ code }) => code))
  const results = now.results.filter(({ code }) => codes.has(code))
  if (!isDeepStrictEqual(changesBetween(replaced, { ...content, results }), changes))
    throw conflict('The first page of this correction no longer says what has changed: upload it again')
}

/** The current record, limited to the results that existed when the file was uploaded. */
const contentOfUpload = (made: ReportContent, now: ReportContent): ReportContent => {
  const codes = new Set(made.results.map(({ code }) => code))
  const newResults = now.results.filter(({ code }) => !codes.has(code))
  return {
    // Keeps the fields that only corrections have.
    ...made,
    ...now,
    results: now.results.filter(({ code }) => codes.has(code)),
    pending: [...now.pending, ...newResults.map(({ name }) => name)],
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

export const deleteReport = (trx: Trx, id: number) =>
  trx
    .updateTable('report')
    .set((eb) => ({ deleted_at: sql<string>`now()`, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
