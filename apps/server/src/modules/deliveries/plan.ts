import { type BulkReceiver, type DeliveryPlan, transmitMethods } from '@lis/contract/deliveries.ts'
import type { Outcome, Refusal } from '@lis/contract/requisitions/moves.ts'
import { displayStatus, refusals, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { conflict } from '../../platform/errors.ts'
import { isDemographicQcReopened, requisitionLabel } from '../requisition-record/queries.ts'
import { findRecipients, findRecipientsOfRequisition, type Recipient, unreachableReason } from './recipients.ts'
import type { PlannedDelivery } from './start-deliveries.ts'

interface Candidate {
  id: number
  label: string
  status_code: StatusCode
  reports: { id: number; versionNo: number }[]
  has_open: boolean
  is_unchecked: boolean
}

const releasedFrom = statusOf('RELEASE').sortOrder

/** Which requisitions can be delivered and what would be sent for each; for the others, why they cannot. */
export const planAll = async (
  db: Db,
  ids: readonly number[],
): Promise<{ outcome: Outcome; planned: PlannedDelivery[] }> => {
  const [candidates, recipients] = [await findCandidates(db, ids), await findRecipients(db, ids)]
  const outcome: Outcome = { moved: [], refused: [] }
  const planned: PlannedDelivery[] = []
  for (const id of ids) {
    const candidate = candidates.get(id)
    const all = recipients.get(id)?.all ?? []
    const why = candidate ? refusalOf(candidate, all) : { reason: `Requisition #${id} not found`, tabSlug: null }
    if (why || !candidate) {
      outcome.refused.push({ id, label: candidate?.label ?? `#${id}`, ...(why as Omit<Refusal, 'id' | 'label'>) })
      continue
    }
    outcome.moved.push(id)
    for (const report of candidate.reports)
      for (const recipient of all) {
        // A copy that its recipient cannot open blocks neither the other recipients nor the requisition.
        const failure = unreachableReason(recipient)
        planned.push({ requisitionId: id, reportId: report.id, versionNo: report.versionNo, recipient, failure })
      }
  }
  return { outcome, planned }
}

const findCandidates = async (db: Db, ids: readonly number[]): Promise<Map<number, Candidate>> => {
  // Row-level security leaves out requisitions outside the person's scope.
  const rows = await db
    .selectFrom('requisition as r')
    .innerJoin('requisition_patient as p', 'p.requisition_id', 'r.id')
    .select((eb) => [
      'r.id',
      sql<StatusCode>`${eb.ref('r.status_code')}`.as('status_code'),
      requisitionLabel.as('label'),
      sql<Candidate['reports']>`coalesce(${eb
        .selectFrom('report as x')
        .select((x) =>
          sql`json_agg(json_build_object('id', ${x.ref('x.id')}, 'versionNo', ${x.ref('x.current_version_no')}) order by ${x.ref('x.id')})`.as(
            'reports',
          ),
        )
        .whereRef('x.requisition_id', '=', 'r.id')
        .where('x.deleted_at', 'is', null)
        .where('x.lab_qc_status_code', '=', sql.lit('RELEASE'))}, '[]')`.as('reports'),
      eb
        .exists(
          eb
            .selectFrom('report_delivery as d')
            .innerJoin('report as x', (join) =>
              join.onRef('x.id', '=', 'd.report_id').onRef('x.current_version_no', '=', 'd.report_version_no'),
            )
            .select('d.id')
            .whereRef('d.requisition_id', '=', 'r.id')
            .where('d.state', '=', sql.lit('PENDING')),
        )
        .$castTo<boolean>()
        .as('has_open'),
      isDemographicQcReopened.as('is_unchecked'),
    ])
    .where('r.id', '=', anyId(ids))
    .where('r.deleted_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

const refusalOf = (candidate: Candidate, recipients: readonly Recipient[]): Omit<Refusal, 'id' | 'label'> | null => {
  const { id, status_code: status, reports, has_open, is_unchecked } = candidate
  const refuse = (reason: string, tabSlug = 'reportsDelivery') => ({ reason: `Requisition #${id} ${reason}`, tabSlug })
  if (statusOf(status).sortOrder < releasedFrom) return refuse(`is ${displayStatus(status)}, not Released`, 'status')
  if (is_unchecked) return { reason: refusals.demographicQcPassed(id), tabSlug: 'reportsDelivery' }
  if (reports.length === 0) return refuse('has no report with lab QC result RELEASE')
  if (has_open) return refuse('is already on its way')
  const unknown = recipients.find(({ address }) => address === '')
  return unknown ? refuse(`cannot be sent: ${unreachableReason(unknown)}`) : null
}

/** What a delivery of these requisitions would send, grouped by recipient. */
export const planDeliveries = async (
  db: Db,
  ids: readonly number[],
): Promise<Outcome & { receivers: BulkReceiver[] }> => {
  const { outcome, planned } = await planAll(db, ids)
  const receivers = new Map<string, BulkReceiver>()
  for (const { requisitionId, recipient } of planned) {
    const shown = recipientView(recipient)
    const key = JSON.stringify(shown)
    const known = receivers.get(key) ?? { ...shown, reqIds: [], reportCount: 0 }
    known.reportCount += 1
    if (known.reqIds.at(-1) !== requisitionId) known.reqIds.push(requisitionId)
    receivers.set(key, known)
  }
  return { ...outcome, receivers: [...receivers.values()] }
}

const recipientView = (recipient: Recipient) => ({
  name: recipient.name,
  transmitMethodDesc: transmitMethods[recipient.method],
  recipient: recipient.address,
  problem: unreachableReason(recipient),
})

/** What a delivery of one requisition would send, and to whom. The caller has checked access to the requisition. */
export const planDelivery = async (db: Db, requisitionId: number): Promise<DeliveryPlan> => {
  const { outcome } = await planAll(db, [requisitionId])
  const reports = await db
    .selectFrom('report as p')
    .innerJoin('report_version as v', (join) =>
      join.onRef('v.report_id', '=', 'p.id').onRef('v.version_no', '=', 'p.current_version_no'),
    )
    .innerJoin('stored_file as f', 'f.id', 'v.file_id')
    .select(['p.id', 'f.original_name as reportOriginalFileName', 'p.current_version_no as versionNo'])
    .where('p.requisition_id', '=', bigint(requisitionId))
    .where('p.deleted_at', 'is', null)
    .where('p.lab_qc_status_code', '=', sql.lit('RELEASE'))
    .orderBy('p.id')
    .execute()
  const receivers = (await findRecipientsOfRequisition(db, requisitionId))?.all ?? []
  return {
    reports,
    receivers: receivers.map(recipientView),
    refusal: outcome.refused[0]?.reason ?? null,
  }
}

/** The refusal while demographic QC has to be repeated, or null. */
export const findQcRefusal = async (db: Db, requisitionId: number): Promise<string | null> => {
  const found = await db
    .selectFrom('requisition as r')
    .select('r.id')
    .where('r.id', '=', bigint(requisitionId))
    .where(isDemographicQcReopened)
    .executeTakeFirst()
  return found ? refusals.demographicQcPassed(requisitionId) : null
}

export const requireDemographicQc = async (db: Db, requisitionId: number) => {
  const reason = await findQcRefusal(db, requisitionId)
  if (reason) throw conflict(reason)
}
