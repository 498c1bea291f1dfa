import type { BatchType } from '@lis/contract/batch-files.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Trx } from '../../platform/db/db.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { GuardOverride } from '../guard/service.ts'
import { fileReport } from '../reports/service.ts'

export interface Filing {
  type: BatchType
  uploadId: number
  fileId: number
  reqId: number
  originalName: string
  /** A person's decision against the guard; absent when the guard agreed. */
  kept?: GuardOverride
}

export interface Filed {
  report_id: number | null
  document_id: number | null
}

/** Files a report as a new report of the requisition, a scan as a document; with history and audit. */
export const fileOnRequisition = async (write: WriteCall, filing: Filing): Promise<Filed> =>
  filing.type === 'REPORT' ? addReport(write, filing) : addScan(write, filing)

const addReport = async (write: WriteCall, { uploadId, fileId, reqId, originalName, kept }: Filing) => {
  const { sha256 } = await write.db
    .selectFrom('stored_file')
    .select('sha256')
    .where('id', '=', fileId)
    .executeTakeFirstOrThrow()
  const options = { detail: `batch ${uploadId}`, ...(kept && { guardOverride: kept }) }
  const { id } = await fileReport(write, reqId, { id: fileId, originalName, sha256 }, options)
  return { report_id: id, document_id: null }
}

const addScan = async (
  { db, actor, requestId }: WriteCall,
  { uploadId, reqId, fileId, originalName, kept }: Filing,
) => {
  const { id } = await db
    .insertInto('document')
    .values({ requisition_id: reqId, type_code: 'SCANREQ', file_id: fileId, created_by: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordAudit(db, actor, requestId, {
    entity: 'document',
    entityId: id,
    requisitionId: reqId,
    action: 'CREATE',
    ...(kept && { reason: kept.reason }),
    new: { docTypeCode: 'SCANREQ', originalFileName: originalName, batch: uploadId },
  })
  return { report_id: null, document_id: id }
}

/** Serialises the files of one requisition, so that the same file sent twice at once is detected. */
export const lockRequisitionForFiling = (trx: Trx, reqId: number) =>
  sql`select id from requisition where id = ${reqId}::bigint for no key update`.execute(trx)
