import { reportQuestions } from '@lis/contract/reports.ts'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Db } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Questions } from '../../platform/http/questions.ts'
import { lockRequisition, requisitionLabel } from '../requisition-record/queries.ts'
import {
  failReasonsSql,
  findReportContent,
  isFailedRequisition,
  orderCommentsSql,
  type ReportContent,
  resultCommentSql,
} from './content.ts'
import { findOutdatedFacts, findOutdatedFactsOfDraft } from './content-changes.ts'
import { joinLatestReleasedVersion } from './queries.ts'
import { deleteReport, fileReport } from './service.ts'
import { reasonNotPrintable, storeReport, type Tools } from './store-report.ts'

/** Makes a report of the current results as a PDF. It needs lab QC like any other. */
export const makeReport = async (
  write: WriteCall,
  tools: Tools,
  requisitionId: number,
  questions?: Questions,
): Promise<{ id: number }> => {
  await lockRequisition(write.db, write.actor, requisitionId)
  const content = await findReportContent(write.db, requisitionId)
  if (content.results.length === 0) throw conflict(`Requisition #${requisitionId} has no result to report`)
  const toCorrect = (await findContradictions(write.db, [requisitionId])).get(requisitionId)
  if (toCorrect) throw conflict(toCorrect)
  const identical = await findIdenticalReport(write.db, requisitionId, content)
  if (identical && !questions) throw conflict(identical)
  if (identical)
    questions?.ask({
      code: reportQuestions.same,
      field: 'id',
      title: 'Nothing new to report',
      message: identical,
      choices: [makeAnyway],
    })
  questions?.requireAnswers()
  const file = await storeReport(write, tools, content, { versionNo: 1, madeAt: new Date() })
  await deleteOutdatedDrafts(write, requisitionId, content)
  return fileReport(write, requisitionId, file, { isMadeHere: true, content })
}

const selectReportsMadeHere = (db: Db, requisitionId: number) =>
  db
    .selectFrom('report as p')
    .innerJoin('report_version as v', (join) =>
      join.onRef('v.report_id', '=', 'p.id').onRef('v.version_no', '=', 'p.current_version_no'),
    )
    .select((eb) => ['p.id', eb.ref('v.content').$castTo<ReportContent>().as('content')])
    .where('p.requisition_id', '=', bigint(requisitionId))
    .where('p.deleted_at', 'is', null)
    .where('v.is_made_here', '=', sql.lit(true))
    .where('v.content', 'is not', null)

const makeAnyway = { value: 'SAVE', label: 'Make another report' }

/** A message about a report made here with the same content that is released or waits for lab QC. */
const findIdenticalReport = async (db: Db, requisitionId: number, now: ReportContent): Promise<string | null> => {
  const rows = await selectReportsMadeHere(db, requisitionId)
    .innerJoin('stored_file as f', 'f.id', 'v.file_id')
    .select(['v.version_no', 'f.original_name', 'p.lab_qc_status_code'])
    .where('p.lab_qc_status_code', 'in', [sql.lit('RELEASE'), sql.lit('PENDING'), sql.lit('MD')])
    .orderBy('p.id', 'desc')
    .execute()
  const codes = ({ results }: ReportContent) => results.map(({ code }) => code).join()
  const same = rows.find(({ content, lab_qc_status_code: status }) => {
    const outdated = status === 'RELEASE' ? findOutdatedFacts : findOutdatedFactsOfDraft
    return codes(content) === codes(now) && outdated(content, now).length === 0
  })
  if (!same) return null
  const state = same.lab_qc_status_code === 'RELEASE' ? 'is released' : 'waits for lab QC'
  return `Report ${same.original_name} (version ${same.version_no}) ${state} and already says the same.`
}

/** Deletes outdated reports that were never released: they could be neither released nor corrected. */
const deleteOutdatedDrafts = async ({ db, actor, requestId }: WriteCall, requisitionId: number, now: ReportContent) => {
  const rows = await selectReportsMadeHere(db, requisitionId).where('p.release_at', 'is', null).execute()
  for (const { id, content } of rows) {
    const outdated = findOutdatedFactsOfDraft(content, now)
    if (outdated.length === 0) continue
    await deleteReport(db, id)
    await recordAudit(db, actor, requestId, {
      entity: 'report',
      entityId: id,
      requisitionId,
      action: 'DELETE',
      reason: `A new report takes its place: ${outdated.join(', ')} changed`,
    })
  }
}

/** The comment as version `v` prints it: only that of the rules, in content from before pass codes were printed (without `comments`). */
const commentInVersion = sql`case when v.content ? 'comments' then ${resultCommentSql} else rt.comment end`

/**
 * Messages for requisitions whose new report would contradict a released one made here, which has to be corrected instead. A test without a
 * result contradicts nothing: it is pending.
 */
const findContradictions = async (db: Db, ids: readonly number[]): Promise<Map<number, string>> => {
  const { rows } = await sql<{ requisition_id: number; original_name: string; codes: string }>`
    select p.requisition_id, f.original_name, string_agg(te.code, ', ' order by te.sort_order, te.code) as codes
    from report p ${joinLatestReleasedVersion} join stored_file f on f.id = v.file_id join requisition r on r.id = p.requisition_id
      cross join jsonb_array_elements(v.content -> 'results') b
      join test te on te.code = b ->> 'code'
      join requisition_test rt on rt.requisition_id = p.requisition_id and rt.test_id = te.id and rt.deleted_at is null and not rt.is_retest
      cross join lateral (select ${isFailedRequisition} as is_failed) w
      cross join lateral (select case when not w.is_failed then coalesce(rt.reportable_result, rt.result) end as value,
        case when not w.is_failed then rt.interpretation end as interpretation, case when not w.is_failed then ${commentInVersion} end as comment, ${failReasonsSql} as fail_reasons) n
    where p.requisition_id = any(${[...ids]}::bigint[]) and p.deleted_at is null and p.release_at is not null and v.is_made_here
      and (w.is_failed or not rt.is_modifiable) and (n.value is not null or n.fail_reasons is not null)
      and (b ->> 'value' <> coalesce(n.value, '') or b ->> 'interpretation' is distinct from n.interpretation or b ->> 'comment' is distinct from n.comment
        or b ->> 'failReasons' is distinct from n.fail_reasons or (v.content ? 'comments' and v.content -> 'comments' <> ${orderCommentsSql}))
    group by p.id, f.original_name order by p.id desc`.execute(db)
  // The last one set is the oldest report; after its correction the next one is named.
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
  may_be_identical: boolean
}

/** The requisitions that a report can be made for, and the reasons for the others. */
export const planReports = async ({ db }: Pick<WriteCall, 'db'>, ids: readonly number[]): Promise<Outcome> => {
  // Row-level security leaves out requisitions that the person may not see.
  const { rows } = await sql<Candidate>`
    select r.id, ${requisitionLabel} as label,
      exists (select from requisition_test t where t.requisition_id = r.id and t.deleted_at is null and not t.is_retest and (${isFailedRequisition} or not t.is_modifiable
        and (coalesce(t.reportable_result, t.result) is not null or exists (select from requisition_test_reason x join reason e on e.id = x.reason_id and e.type_code = 'FAIL' where x.requisition_test_id = t.id)))) as has_result,
      exists (select from report x where x.requisition_id = r.id and x.deleted_at is null and x.lab_qc_status_code in ('RELEASE', 'PENDING', 'MD')) as may_be_identical
    from requisition r join requisition_patient p on p.requisition_id = r.id where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null`.execute(
    db,
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  const contradictions = await findContradictions(db, [...found.keys()])
  const outcome: Outcome = { moved: [], refused: [] }
  for (const id of ids) {
    const candidate = found.get(id)
    if (candidate) {
      const { label, has_result, may_be_identical } = candidate
      const identical = may_be_identical ? await findIdenticalReport(db, id, await findReportContent(db, id)) : null
      const unprintable = await reasonNotPrintable(["the patient's name", label])
      if (!has_result)
        outcome.refused.push({ id, label, reason: `Requisition #${id} has no result to report`, tabSlug: 'tests' })
      else if (contradictions.has(id))
        outcome.refused.push({ id, label, reason: contradictions.get(id) as string, tabSlug: 'reportsDelivery' })
      else if (identical) outcome.refused.push({ id, label, reason: identical, tabSlug: 'reportsDelivery' })
      else if (unprintable) outcome.refused.push({ id, label, reason: unprintable, tabSlug: 'reportsDelivery' })
      else outcome.moved.push(id)
    } else outcome.refused.push({ id, label: `#${id}`, reason: `Requisition #${id} not found`, tabSlug: null })
  }
  return outcome
}
