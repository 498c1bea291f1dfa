import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import type { ClientDocument, DocumentInput } from '@lis/contract/client-records.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { invalid, notFound } from '../../platform/http/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findRow } from '../../platform/lists.ts'
import type { ObjectStore } from '../../platform/storage/object-store.ts'
import { createUploadSlot, downloadSeconds, requireOwnUpload } from '../../platform/storage/slots.ts'
import type { FileKind } from '../../platform/storage/sniff.ts'
import { registerFile } from '../../platform/storage/stored-files.ts'
import { documentsOfClient } from './record-lists.ts'
import { auditRecord, type RecordPath } from './record-service.ts'
import { holdClient, requireClient } from './service.ts'

interface StoredDocument extends ClientDocument {
  key: string
  contentType: string
}

const kinds: Record<string, FileKind> = {
  '.pdf': 'pdf',
  '.png': 'png',
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.tif': 'tiff',
  '.tiff': 'tiff',
}
const kindOf = (fileName: string, field: string): FileKind => {
  const kind = kinds[extname(fileName).toLowerCase()]
  if (!kind) throw invalid(field, messages.fileKinds('PDF, PNG, JPEG and TIFF'))
  return kind
}
const purposeOf = (clientId: number) => `client-document:${clientId}`
const keyOf = (clientId: number, newFileName: string) => `client-documents/${clientId}/${newFileName}`

/** A slot for one file of one client; the name it gets is ours, never the one that was typed. */
export const initDocument = async (call: WriteCall, store: ObjectStore, clientId: number, fileName: string) => {
  const { db, actor } = call
  await requireClient(db, actor, clientId)
  kindOf(fileName, 'fileName')
  const newFileName = `${randomUUID()}${extname(fileName).toLowerCase()}`
  const slot = { sessionId: actor.sessionId, purpose: purposeOf(clientId), key: keyOf(clientId, newFileName) }
  const { url, fields } = await createUploadSlot(db, store, slot)
  return { url, fields, newFileName }
}

/** Takes the uploaded file in, if its bytes are what its name says. */
export const addDocument = async (
  call: WriteCall,
  store: ObjectStore,
  clientId: number,
  { originalFileName, fileName }: DocumentInput,
): Promise<{ id: number }> => {
  const { db, actor } = call
  await holdClient(call, clientId)
  const kind = kindOf(originalFileName, 'originalFileName')
  if (!/^[0-9a-f-]{36}\.[a-z]{3,4}$/.test(fileName)) throw invalid('fileName', 'This file was not uploaded here')
  const key = keyOf(clientId, fileName)
  await requireOwnUpload(db, { key, sessionId: actor.sessionId, purpose: purposeOf(clientId) })
  const file = await registerFile(db, store, {
    key,
    originalName: originalFileName,
    accept: [kind],
    createdBy: actor.userId,
    field: 'fileName',
  })
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
  await holdClient(call, clientId)
  for (const recordId of ids) {
    const { docOriginalFileName } = await getDocument(db, { id: clientId, recordId })
    await db.updateTable('client_document').set({ deleted_at: sql<string>`now()` }).where('id', '=', recordId).execute()
    const record = { entity: 'client_document', entityId: recordId, action: 'DELETE' }
    await auditRecord(call, clientId, { ...record, old: { docOriginalFileName } })
  }
}

/** A signed address that lives five minutes. */
export const documentUrl = async (db: Db, store: ObjectStore, path: RecordPath): Promise<string> => {
  const { key, docOriginalFileName, contentType } = await getDocument(db, path)
  return store.downloadUrl(key, { fileName: docOriginalFileName, contentType, expiresSeconds: downloadSeconds })
}

const getDocument = async (db: Db, { id, recordId }: RecordPath): Promise<StoredDocument> => {
  const list = documentsOfClient(id, { key: sql`f.object_key`, contentType: sql`f.content_type` })
  const found = await findRow<StoredDocument>(db, list, recordId)
  if (!found) throw notFound('Document')
  return found
}
