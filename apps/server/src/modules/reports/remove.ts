import { displayStatus, type StatusCode, statusOf } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { conflict } from '../../platform/errors.ts'
import { publish } from '../../platform/events/publish.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockRequisition } from '../requisition-record/queries.ts'
import { addReportEvents, lockReport } from './service.ts'

/** Takes a report off its requisition that nobody outside has had; its file, history and audit stay. */
export const removeReport = async (
  { db, actor, requestId }: WriteCall,
  path: { reqID: number; reportID: number },
  reason: string,
) => {
  const { status_code: status } = await lockRequisition(db, actor, path.reqID)
  const report = await lockReport(db, path)
  if (report.release_at)
    throw conflict('This report has been released and can no longer be removed; correct it instead')
  await requireAnother(db, path, status)
  await sql`update report set deleted_at = now(), version = version + 1 where id = ${report.id}::bigint`.execute(db)
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

/** From Reported on there is a report. */
const requireAnother = async (
  db: WriteCall['db'],
  { reqID, reportID }: { reqID: number; reportID: number },
  status: StatusCode,
) => {
  if (statusOf(status).sortOrder < statusOf('REPORT').sortOrder) return
  const { rows } =
    await sql`select from report where requisition_id = ${reqID}::bigint and id <> ${reportID}::bigint and deleted_at is null limit 1`.execute(
      db,
    )
  if (rows.length === 0)
    throw conflict(
      `Requisition #${reqID} is ${displayStatus(status)} and this is its only report: add the right one first`,
    )
}
