import type { ClientDocument, DocumentInput } from '@lis/contract/client-records.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findRow } from '../../platform/lists.ts'
import type { ObjectStore } from '../../platform/storage/object-store.ts'
import { downloadSeconds } from '../../platform/storage/slots.ts'
import { documentKinds, openUpload, registerUpload, type UploadTarget } from '../uploads/service.ts'
import { documentsOfClient } from './record-lists.ts'
import { auditRecord, type RecordPath } from './record-service.ts'
import { lockVisibleClient, requireClient } from './service.ts'

interface StoredDocument extends ClientDocument {
  key: string
  contentType: string
  sha256: string
}

const targetOf = (clientId: number): UploadTarget => ({
  folder: `client-documents/${clientId}`,
  purpose: `client-document:${clientId}`,
  ...documentKinds,
})

/** A slot for one file of one client; the name it gets is ours, never the one that was typed. */
export const initDocument = async (call: WriteCall, store: ObjectStore, clientId: number, fileName: string) => {
  await requireClient(call.db, call.actor, clientId)
  return openUpload(call, store, targetOf(clientId), fileName)
}

/** Takes the uploaded file in, if its bytes are what its name says. */
export const addDocument = async (
  call: WriteCall,
  store: ObjectStore,
  clientId: number,
  input: DocumentInput,
): Promise<{ id: number }> => {
  const { db, actor } = call
  await lockVisibleClient(call, clientId)
  const file = await registerUpload(call, store, targetOf(clientId), input)
  const { id } = await db
    .insertInto('client_document')
    .values({ client_id: clientId, file_id: file.id, created_by: actor.userId })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { docOriginalFileName } = await getDocument(db, { id: clientId, recordId: id })
  await auditRecord(call, clientId, {
    entity: 'client_document',
    entityId: id,
    action: 'CREATE',
    new: { docOriginalFileName, sha256: file.sha256.toString('hex') },
  })
  return { id }
}

export const removeDocuments = async (call: WriteCall, clientId: number, ids: readonly number[]) => {
  const { db } = call
  await lockVisibleClient(call, clientId)
  for (const recordId of ids) {
    const { docOriginalFileName } = await getDocument(db, { id: clientId, recordId })
    await db.updateTable('client_document').set({ deleted_at: sql<string>`now()` }).where('id', '=', recordId).execute()
    const record = { entity: 'client_document', entityId: recordId, action: 'DELETE' }
    await auditRecord(call, clientId, { ...record, old: { docOriginalFileName } })
  }
}

/** A signed address that lives five minutes. */
export const documentUrl = async (db: Db, store: ObjectStore, path: RecordPath): Promise<string> => {
  const { key, docOriginalFileName, contentType, sha256 } = await getDocument(db, path)
  return store.downloadUrl(key, { sha256, fileName: docOriginalFileName, contentType, expiresSeconds: downloadSeconds })
}

export const getDocument = async (db: Db, { id, recordId }: RecordPath): Promise<StoredDocument> => {
  const list = documentsOfClient(id, {
    key: sql`f.object_key`,
    contentType: sql`f.content_type`,
    sha256: sql`encode(f.sha256, 'hex')`,
  })
  const found = await findRow<StoredDocument>(db, list, recordId)
  if (!found) throw notFound('Document')
  return found
}
