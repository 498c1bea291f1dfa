import { randomUUID } from 'node:crypto'
import { reportQuestions } from '@lis/contract/reports.ts'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Questions } from '../../platform/http/questions.ts'
import type { Services } from '../../platform/services.ts'
import { storeFile } from '../../platform/storage/stored-files.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import {
  failReasonsSql,
  findOutdatedFacts,
  findReportContent,
  isFailedRequisition,
  orderCommentsSql,
  printedTexts,
  type ReportContent,
  resultCommentSql,
} from './content.ts'
import { makeCopyWithCorrectionPage } from './pdf-copies.ts'
import { joinLatestReleasedVersion } from './queries.ts'
import type { VersionInfo } from './report-pdf.ts'
import { addCorrection, fileReport, planCorrection, type StoredReport } from './service.ts'
import type { VerifiedUpload } from './uploads.ts'

type Tools = Pick<Services, 'store' | 'config'>

/** A report of our own: what the results say now, as a PDF. It waits for lab QC like any other. */
export const makeReport = async (
  write: WriteCall,
  tools: Tools,
  requisitionId: number,
  questions?: Questions,
): Promise<{ id: number }> => {
  await lockRequisition(write.db, write.actor, requisitionId)
  const content = await findReportContent(write.db, requisitionId)
  if (content.results.length === 0) throw conflict(`Requisition #${requisitionId} has no result to report`)
  const toCorrect = (await findContradicted(write.db, [requisitionId])).get(requisitionId)
  if (toCorrect) throw conflict(toCorrect)
  const same = await findSame(write.db, requisitionId, content)
  if (same && !questions) throw conflict(same)
  if (same)
    questions?.ask({
      code: reportQuestions.same,
      field: 'id',
      title: 'Nothing new to report',
      message: same,
      choices: [makeAnyway],
    })
  questions?.requireAnswers()
  const file = await storeReport(write, tools, content, { versionNo: 1, madeAt: new Date() })
  await retireOutdated(write, requisitionId, content)
  return fileReport(write, requisitionId, file, { isMadeHere: true, content })
}

const makeAnyway = { value: 'SAVE', label: 'Make another report' }

/** Says which released report of our own already holds all of this, and nothing else. */
const findSame = async (db: Db, requisitionId: number, now: ReportContent): Promise<string | null> => {
  const { rows } = await sql<{ content: ReportContent; original_name: string; version_no: number }>`
    select v.content, v.version_no, f.original_name from report p
      join report_version v on v.report_id = p.id and v.version_no = p.current_version_no join stored_file f on f.id = v.file_id
    where p.requisition_id = ${requisitionId}::bigint and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE' and v.is_made_here and v.content is not null
    order by p.id desc`.execute(db)
  const codes = ({ results }: ReportContent) => results.map(({ code }) => code).join()
  const same = rows.find(({ content }) => codes(content) === codes(now) && findOutdatedFacts(content, now).length === 0)
  return same
    ? `Report ${same.original_name} (version ${same.version_no}) is released and already says the same.`
    : null
}

/** What nobody has seen and says what is no longer so gives way to the new one: it could neither be released nor corrected. */
const retireOutdated = async ({ db, actor, requestId }: WriteCall, requisitionId: number, now: ReportContent) => {
  const { rows } = await sql<{ id: number; content: ReportContent }>`
    select p.id, v.content from report p join report_version v on v.report_id = p.id and v.version_no = p.current_version_no
    where p.requisition_id = ${requisitionId}::bigint and p.deleted_at is null and p.release_at is null and v.is_made_here and v.content is not null`.execute(
    db,
  )
  for (const { id, content } of rows) {
    const outdated = findOutdatedFacts(content, now)
    if (outdated.length === 0) continue
    await sql`update report set deleted_at = now(), version = version + 1 where id = ${id}::bigint`.execute(db)
    await recordAudit(db, actor, requestId, {
      entity: 'report',
      entityId: id,
      requisitionId,
      action: 'DELETE',
      reason: `A new report takes its place: ${outdated.join(', ')} changed`,
    })
  }
}

const storeReport = async (
  { db, actor }: WriteCall,
  { store, config }: Tools,
  content: ReportContent,
  issue: VersionInfo,
): Promise<StoredReport> => {
  // Loaded when the first one is made: a server at rest is 40 MB smaller without the tools that draw PDFs.
  const { renderReport } = await import('./report-pdf.ts')
  await requirePrintable([...printedTexts(content), ['the reason', issue.correction?.reason ?? '']])
  const body = await renderReport(content, { ...issue, isDemo: config.demo })
  const originalName = fileNameOf(content, issue.versionNo)
  const key = `requisitions/${content.requisitionId}/report/${randomUUID()}.pdf`
  const file = { key, body, originalName, contentType: 'application/pdf', createdBy: actor.userId }
  return { ...(await storeFile(db, store, file)), originalName }
}

const cannotPrint = async ([what, text]: readonly [what: string, text: string]): Promise<string | null> => {
  const { unprintable } = await import('../../platform/pdf/letters.ts')
  const letters = unprintable(text)
  if (letters.length === 0) return null
  return `A report made here cannot print ${letters.join(' ')} in ${what}. Upload a report that was made elsewhere.`
}

/** A name must never come out as another one: what cannot be printed whole is not printed at all. */
const requirePrintable = async (texts: readonly (readonly [what: string, text: string])[]) => {
  for (const text of texts) {
    const reason = await cannotPrint(text)
    if (reason) throw conflict(reason)
  }
}

/** By the collaborator's own format; letters that a file system may not have are left out. */
const fileNameOf = ({ requisitionId, patient, collaborator }: ReportContent, versionNo: number) => {
  const [last = '', first = ''] = patient.name
    .normalize('NFD')
    .split(', ')
    .map((part) => part.replace(/[^A-Za-z0-9]+/g, ''))
  const end = versionNo > 1 ? '_corrected.pdf' : '.pdf'
  if (collaborator.nameFormat === 'REQIDLAST') return `${requisitionId}_${last}${end}`
  if (collaborator.nameFormat === 'LASTFIRSTDOB') return `${last}_${first}_${patient.dob}${end}`
  return `${requisitionId}${end}`
}

interface CorrectionOptions {
  reason: string
  /** The version of the report that is corrected, as the writer has seen it; null when it did not say. */
  expected: number | null
}

/** A new version of a released report, made here from the present results. */
export const correctFromResults = async (
  write: WriteCall,
  tools: Tools,
  path: { reqID: number; reportID: number },
  { reason, expected }: CorrectionOptions,
) => {
  const plan = await planCorrection(write, path, { isMadeHere: true, expected })
  const file = await storeReport(write, tools, plan.content, issueOf(plan, reason))
  return addCorrection(write, plan, file, reason)
}

const issueOf = (
  { versionNo, replacesVersionNo, changes, changedCodes }: Awaited<ReturnType<typeof planCorrection>>,
  reason: string,
) => ({ versionNo, madeAt: new Date(), correction: { replacesVersionNo, reason, changes, changedCodes } })

/** A new version that was made elsewhere: it gets a first page with the reason and what has changed. The upload itself is kept too. */
export const correctByUpload = async (
  write: WriteCall,
  tools: Tools,
  path: { reqID: number; reportID: number },
  { reason, expected }: CorrectionOptions,
  upload: VerifiedUpload,
) => {
  const plan = await planCorrection(write, path, { isMadeHere: false, expected })
  await requirePrintable([['the reason', reason]])
  const cover = { requisitionId: path.reqID, patient: plan.content.patient.name, issue: issueOf(plan, reason) }
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
  return addCorrection(write, plan, file, reason, upload.kept)
}

/** The comment as version `v` would say it: before pass codes were printed, and `comments` were among its content, it was the word of the rules alone. */
const commentThen = sql`case when v.content ? 'comments' then ${resultCommentSql} else rt.comment end`

/**
 * Of these requisitions, those whose new report would say otherwise about a test than one made here that is out, and what to do
 * instead. What has no result at the moment contradicts nothing: it stands among what is pending.
 */
const findContradicted = async (db: Db, ids: readonly number[]): Promise<Map<number, string>> => {
  const { rows } = await sql<{ requisition_id: number; original_name: string; codes: string }>`
    select p.requisition_id, f.original_name, string_agg(te.code, ', ' order by te.sort_order, te.code) as codes
    from report p ${joinLatestReleasedVersion} join stored_file f on f.id = v.file_id join requisition r on r.id = p.requisition_id
      cross join jsonb_array_elements(v.content -> 'results') b
      join test te on te.code = b ->> 'code'
      join requisition_test rt on rt.requisition_id = p.requisition_id and rt.test_id = te.id and rt.deleted_at is null and not rt.is_retest
      cross join lateral (select ${isFailedRequisition} as is_failed) w
      cross join lateral (select case when not w.is_failed then coalesce(rt.reportable_result, rt.result) end as value,
        case when not w.is_failed then rt.interpretation end as interpretation, case when not w.is_failed then ${commentThen} end as comment, ${failReasonsSql} as fail_reasons) n
    where p.requisition_id = any(${[...ids]}::bigint[]) and p.deleted_at is null and p.release_at is not null and v.is_made_here
      and (w.is_failed or not rt.is_modifiable) and (n.value is not null or n.fail_reasons is not null)
      and (b ->> 'value' <> coalesce(n.value, '') or b ->> 'interpretation' is distinct from n.interpretation or b ->> 'comment' is distinct from n.comment
        or b ->> 'failReasons' is distinct from n.fail_reasons or (v.content ? 'comments' and v.content -> 'comments' <> ${orderCommentsSql}))
    group by p.id, f.original_name order by p.id desc`.execute(db)
  // The oldest one of each is named: corrected in turn, the others are named after it.
  return new Map(
    rows.map(({ requisition_id, original_name, codes }) => [
      requisition_id,
      `Report ${original_name} has been released with another result of ${codes}; correct that report instead`,
    ]),
  )
}

interface Candidate {
  id: number
  label: string
  has_result: boolean
  has_released: boolean
}

/** Which of these can have a report made, and why each other one cannot. */
export const planReports = async ({ db }: Pick<WriteCall, 'db'>, ids: readonly number[]): Promise<Outcome> => {
  // Row-level security leaves out what the person may not see.
  const { rows } = await sql<Candidate>`
    select r.id, '#' || r.id || ' | ' || p.last_name || ', ' || p.first_name || ' (' || to_char(p.dob, 'MM/DD/YYYY') || ')' as label,
      exists (select from requisition_test t where t.requisition_id = r.id and t.deleted_at is null and not t.is_retest and (${isFailedRequisition} or not t.is_modifiable
        and (coalesce(t.reportable_result, t.result) is not null or exists (select from requisition_test_reason x join reason e on e.id = x.reason_id and e.type_code = 'FAIL' where x.requisition_test_id = t.id)))) as has_result,
      exists (select from report x where x.requisition_id = r.id and x.deleted_at is null and x.lab_qc_status_code = 'RELEASE') as has_released
    from requisition r join requisition_patient p on p.requisition_id = r.id where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null`.execute(
    db,
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  const contradicted = await findContradicted(db, [...found.keys()])
  const outcome: Outcome = { moved: [], refused: [] }
  for (const id of ids) {
    const candidate = found.get(id)
    if (candidate) {
      const { label, has_result, has_released } = candidate
      const same = has_released ? await findSame(db, id, await findReportContent(db, id)) : null
      const noLetters = await cannotPrint(["the patient's name", label])
      if (!has_result)
        outcome.refused.push({ id, label, reason: `Requisition #${id} has no result to report`, tabSlug: 'tests' })
      else if (contradicted.has(id))
        outcome.refused.push({ id, label, reason: contradicted.get(id) as string, tabSlug: 'reportsDelivery' })
      else if (same) outcome.refused.push({ id, label, reason: same, tabSlug: 'reportsDelivery' })
      else if (noLetters) outcome.refused.push({ id, label, reason: noLetters, tabSlug: 'reportsDelivery' })
      else outcome.moved.push(id)
    } else outcome.refused.push({ id, label: `#${id}`, reason: `Requisition #${id} not found`, tabSlug: null })
  }
  return outcome
}
