import type { BatchType } from '@lis/contract/batch-files.ts'
import { sql } from 'kysely'
import { type AuditActor, recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import { publish } from '../../platform/events/publish.ts'

export interface Filing {
  type: BatchType
  fileId: number
  reqId: number
  originalName: string
  /** Why a person filed it against the guard; absent when the guard agreed. */
  reason?: string
}

export interface Filed {
  report_id: number | null
  document_id: number | null
}

/** Puts a file on its requisition: a report as a new report, a scan as a document; with its history and audit. */
export const fileUnder = async (
  trx: Trx,
  actor: AuditActor,
  requestId: string | null,
  filing: Filing,
): Promise<Filed> => {
  const filed = filing.type === 'REPORT' ? await addReport(trx, actor, filing) : await addScan(trx, actor, filing)
  const entity = filed.report_id === null ? 'document' : 'report'
  await recordAudit(trx, actor, requestId, {
    entity,
    entityId: (filed.report_id ?? filed.document_id) as number,
    requisitionId: filing.reqId,
    action: 'CREATE',
    ...(filing.reason && { reason: filing.reason }),
    new: { originalFileName: filing.originalName, fileId: filing.fileId, source: 'batch upload' },
  })
  await publish(trx, { topic: 'requisitions', data: { reqId: filing.reqId } })
  return filed
}

const addReport = async (trx: Trx, actor: AuditActor, { reqId, fileId }: Filing): Promise<Filed> => {
  const { id } = await trx
    .insertInto('report')
    .values({ requisition_id: reqId })
    .returning('id')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('report_version')
    .values({ report_id: id, version_no: 1, file_id: fileId, created_by: actor.userId })
    .execute()
  await trx
    .insertInto('report_event')
    .values({ report_id: id, version_no: 1, action_code: 'UPLOAD', actor_id: actor.userId })
    .execute()
  return { report_id: id, document_id: null }
}

const addScan = async (trx: Trx, actor: AuditActor, { reqId, fileId }: Filing): Promise<Filed> => {
  const { id } = await trx
    .insertInto('document')
    .values({ requisition_id: reqId, type_code: 'SCANREQ', file_id: fileId, created_by: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { report_id: null, document_id: id }
}

/** Files for one requisition follow each other, so that the same file sent twice at once is seen. */
export const holdRequisition = (trx: Trx, reqId: number) =>
  sql`select id from requisition where id = ${reqId}::bigint for no key update`.execute(trx)
