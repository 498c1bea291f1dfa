import { displayStatus, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { conflict } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { voidSignatures } from './release.ts'
import { addReportEvents, deleteReport, lockReport } from './service.ts'

/** Removes a report that was never released; its file, history and audit stay. */
export const removeReport = async (
  { db, actor, requestId }: WriteCall,
  path: { reqID: number; reportID: number },
  reason: string,
) => {
  const { status_code: status } = await lockRequisition(db, actor, path.reqID)
  const report = await lockReport(db, path)
  if (report.release_at)
    throw conflict('This report has been released and can no longer be removed; correct it instead')
  await requireOtherReport(db, path, status)
  await deleteReport(db, report.id)
  await voidSignatures({ db, actor, requestId }, report, 'The report was removed')
  await addReportEvents(db, actor.userId, [
    { reportId: report.id, versionNo: report.current_version_no, action: 'REMOVE', detail: reason },
  ])
  await recordAudit(db, actor, requestId, {
    entity: 'report',
    entityId: report.id,
    requisitionId: path.reqID,
    action: 'DELETE',
    reason,
  })
  await publish(db, { topic: 'requisitions', data: { reported: 1 } })
}

/** A requisition that is Reported or further always has a report. */
const requireOtherReport = async (
  db: WriteCall['db'],
  { reqID, reportID }: { reqID: number; reportID: number },
  status: StatusCode,
) => {
  if (statusOf(status).sortOrder < statusOf('REPORT').sortOrder) return
  const other = await db
    .selectFrom('report')
    .select('id')
    .where('requisition_id', '=', bigint(reqID))
    .where('id', '<>', bigint(reportID))
    .where('deleted_at', 'is', null)
    .limit(sql.lit(1))
    .executeTakeFirst()
  if (!other)
    throw conflict(
      `Requisition #${reqID} is ${displayStatus(status)} and this is its only report: add the right one first`,
    )
}
