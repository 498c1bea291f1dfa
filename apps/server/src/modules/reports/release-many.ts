import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { announce } from '../../platform/domain-events.ts'
import { AppError, conflict } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requisitionLabel } from '../requisition-record/queries.ts'
import { planRelease, requireChecks, requireSignature, SignatureMissing } from './release.ts'
import { setLabQc } from './service.ts'
import type { Tools } from './store-report.ts'

interface Waiting {
  id: number
  requisition_id: number
  current_version_no: number
  release_at: string | null
}

interface ManyReleases extends Outcome {
  reports: Waiting[]
  isSignatureMissing: boolean
}

/** The reports of these requisitions that lab QC has not looked at; one on hold, in repeat or in review needs a look of its own. */
const listWaiting = async (db: Db, ids: readonly number[]) => {
  const { rows } = await sql<{ id: number; label: string; reports: Waiting[] }>`
    select r.id, ${requisitionLabel} as label, coalesce((select json_agg(json_build_object('id', x.id, 'requisition_id', x.requisition_id,
        'current_version_no', x.current_version_no, 'release_at', x.release_at) order by x.id)
      from report x where x.requisition_id = r.id and x.deleted_at is null and x.lab_qc_status_code = 'PENDING'), '[]') as reports
    from requisition r join requisition_patient p on p.requisition_id = r.id where r.id = any(${[...ids]}::bigint[]) and r.deleted_at is null`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

const requireReleasable = async (db: Db, report: Waiting) => {
  const plan = await planRelease(db, report)
  await requireSignature(db, plan)
  requireChecks(plan.checks)
  if (!plan.isMadeHere && plan.contentToKeep)
    throw conflict('The record has changed since this file was uploaded: look at it and release it by itself')
}

/** Which of these requisitions can be released, checked as a single release checks them, and why the others cannot. */
export const planReleases = async (db: Db, ids: readonly number[]): Promise<ManyReleases> => {
  const found = await listWaiting(db, ids)
  const plan: ManyReleases = { moved: [], refused: [], reports: [], isSignatureMissing: false }
  for (const id of ids) {
    const { label = `#${id}`, reports = [] } = found.get(id) ?? {}
    const refuse = (reason: string) =>
      plan.refused.push({ id, label, reason, tabSlug: found.has(id) ? 'reportsDelivery' : null })
    try {
      for (const report of reports) await requireReleasable(db, report)
      if (!found.has(id)) refuse(`Requisition #${id} not found`)
      else if (reports.length === 0) refuse(`Requisition #${id} has no report that waits for lab QC`)
      else {
        plan.moved.push(id)
        plan.reports.push(...reports)
      }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      plan.isSignatureMissing ||= error instanceof SignatureMissing
      refuse(error.message)
    }
  }
  return plan
}

export const releaseMany = async (write: WriteCall, tools: Tools, reports: readonly Waiting[]) => {
  for (const { id: reportID, requisition_id: reqID } of reports) {
    const { id, versionNo, isReleased } = await setLabQc(write, { reqID, reportID }, 'RELEASE', { tools })
    if (isReleased) await announce(write, 'reportReleased', { requisitionId: reqID, reportId: id, versionNo })
  }
}
