import { can } from '@lis/contract/access/permissions.ts'
import type { DocumentInput } from '@lis/contract/client-records.ts'
import type { DocumentType } from '@lis/contract/documents.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { forbidden, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findRow } from '../../platform/lists.ts'
import type { ObjectStore } from '../../platform/storage/object-store.ts'
import { downloadSeconds } from '../../platform/storage/slots.ts'
import { lockRequisition, requireRequisition } from '../requisition-record/queries.ts'
import { documentKinds, openUpload, registerUpload, type UploadTarget } from '../uploads/service.ts'
import { documentsOfRequisition, type StoredDocument } from './queries.ts'

const reportKinds: typeof documentKinds = { kinds: { '.pdf': 'pdf' }, kindNames: 'PDF' }

/** The upload target of one document type of one requisition; a report is a document that waits for its QC. */
export const uploadTarget = (requisitionId: number, type: DocumentType | 'REPORT'): UploadTarget => ({
  folder: `requisitions/${requisitionId}`,
  purpose: `requisition:${requisitionId}:${type}`,
  ...(type === 'REPORT' ? reportKinds : documentKinds),
})

export const openDocumentUpload = async (
  call: WriteCall,
  store: ObjectStore,
  requisitionId: number,
  { fileName, docTypeCode }: { fileName: string; docTypeCode: DocumentType | 'REPORT' },
) => {
  await requireRequisition(call.db, call.actor, requisitionId)
  if (docTypeCode === 'REPORT' && !can(call.actor.role, 'reports.edit')) throw forbidden()
  return openUpload(call, store, uploadTarget(requisitionId, docTypeCode), fileName)
}

export const addDocument = async (
  call: WriteCall,
  store: ObjectStore,
  requisitionId: number,
  type: DocumentType,
  input: DocumentInput,
): Promise<{ id: number }> => {
  const { db, actor, requestId } = call
  await lockRequisition(db, actor, requisitionId)
  const file = await registerUpload(call, store, uploadTarget(requisitionId, type), input)
  const { id } = await db
    .insertInto('document')
    .values({ requisition_id: requisitionId, type_code: type, file_id: file.id, created_by: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { docOriginalFileName } = await getDocument(db, actor, requisitionId, id)
  await recordAudit(db, actor, requestId, {
    entity: 'document',
    entityId: id,
    requisitionId,
    action: 'DOC',
    new: { docTypeCode: type, docOriginalFileName, sha256: file.sha256.toString('hex') },
  })
  return { id }
}

export const removeDocument = async ({ db, actor, requestId }: WriteCall, requisitionId: number, id: number) => {
  await lockRequisition(db, actor, requisitionId)
  const { docTypeCode, docOriginalFileName } = await getDocument(db, actor, requisitionId, id)
  await db.updateTable('document').set({ deleted_at: sql<string>`now()` }).where('id', '=', id).execute()
  await recordAudit(db, actor, requestId, {
    entity: 'document',
    entityId: id,
    requisitionId,
    action: 'DOC',
    old: { docTypeCode, docOriginalFileName },
  })
}

/** A signed URL, valid for five minutes, to save the file or to show it. */
export const documentUrl = async (
  { db, actor }: { db: Db; actor: Actor },
  store: ObjectStore,
  requisitionId: number,
  id: number,
  inline: boolean,
): Promise<string> => {
  await requireRequisition(db, actor, requisitionId)
  const { key, docOriginalFileName: fileName, contentType, sha256 } = await getDocument(db, actor, requisitionId, id)
  return store.downloadUrl(key, { sha256, fileName, contentType, inline, expiresSeconds: downloadSeconds })
}

const getDocument = async (db: Db, actor: Actor, requisitionId: number, id: number): Promise<StoredDocument> => {
  const list = documentsOfRequisition(actor, requisitionId, {
    key: sql`f.object_key`,
    contentType: sql`f.content_type`,
    sha256: sql`encode(f.sha256, 'hex')`,
  })
  const found = await findRow<StoredDocument>(db, list, id)
  if (!found) throw notFound('Document')
  return found
}
