import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import { can } from '@lis/contract/access/permissions.ts'
import type { DocumentInput } from '@lis/contract/client-records.ts'
import type { DocumentType } from '@lis/contract/documents.ts'
import { messages } from '@lis/contract/messages.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { forbidden, invalid, notFound } from '../../platform/http/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findRow } from '../../platform/lists.ts'
import { findUpload, type ObjectStore } from '../../platform/storage/object-store.ts'
import { createUploadSlot, downloadSeconds, requireOwnUpload } from '../../platform/storage/slots.ts'
import type { FileKind } from '../../platform/storage/sniff.ts'
import { type RegisteredFile, registerFile } from '../../platform/storage/stored-files.ts'
import { lockRequisition, requireRequisition } from '../requisition-record/queries.ts'
import { documentsOfRequisition, type StoredDocument } from './queries.ts'

/** Where uploads of one sort go, and what they are for: a file sent for one purpose cannot be registered for another. */
export interface UploadPlace {
  folder: string
  purpose: string
  /** The kinds of file taken there, by how their names end. */
  kinds: Record<string, FileKind>
  /** As the refusal names them. */
  kindNames: string
}

export const documentKinds: Pick<UploadPlace, 'kinds' | 'kindNames'> = {
  kinds: { '.pdf': 'pdf', '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg', '.tif': 'tiff', '.tiff': 'tiff' },
  kindNames: 'PDF, PNG, JPEG and TIFF',
}
const reportKinds: typeof documentKinds = { kinds: { '.pdf': 'pdf' }, kindNames: 'PDF' }

const kindOf = ({ kinds, kindNames }: UploadPlace, fileName: string, field: string): FileKind => {
  const kind = kinds[extname(fileName).toLowerCase()]
  if (!kind) throw invalid(field, messages.fileKinds(kindNames))
  return kind
}

/** A slot for one file; the name it gets is ours, never the one that was typed. */
export const openUpload = async (
  { db, actor }: WriteCall,
  store: ObjectStore,
  place: UploadPlace,
  fileName: string,
) => {
  kindOf(place, fileName, 'fileName')
  const newFileName = `${randomUUID()}${extname(fileName).toLowerCase()}`
  const slot = { sessionId: actor.sessionId, purpose: place.purpose, key: `${place.folder}/${newFileName}` }
  const { url, fields } = await createUploadSlot(db, store, slot)
  return { url, fields, newFileName }
}

interface UploadCall {
  db: Db
  actor: Actor
}

const requireUpload = async (
  { db, actor }: UploadCall,
  place: UploadPlace,
  { originalFileName, fileName }: DocumentInput,
) => {
  const kind = kindOf(place, originalFileName, 'originalFileName')
  if (!/^[0-9a-f-]{36}\.[a-z]{3,4}$/.test(fileName)) throw invalid('fileName', 'This file was not uploaded here')
  const key = `${place.folder}/${fileName}`
  await requireOwnUpload(db, { key, sessionId: actor.sessionId, purpose: place.purpose })
  return { key, kind }
}

/** Where a file lies that this session has sent for this purpose, before it is taken in. */
export const findOwnUpload = async (call: UploadCall, store: ObjectStore, place: UploadPlace, input: DocumentInput) => {
  const { key } = await requireUpload(call, place, input)
  const found = await findUpload(store, key)
  if (!found) throw invalid('fileName', 'The file has not been uploaded')
  return found.key
}

/** Takes the uploaded file in, if it was sent by this session for this purpose and its bytes are what its name says. */
export const takeUpload = async (
  call: WriteCall,
  store: ObjectStore,
  place: UploadPlace,
  input: DocumentInput,
): Promise<RegisteredFile> => {
  const { db, actor } = call
  const { originalFileName } = input
  const { key, kind } = await requireUpload(call, place, input)
  return registerFile(db, store, {
    key,
    originalName: originalFileName,
    accept: [kind],
    createdBy: actor.userId,
    field: 'fileName',
  })
}

/** The place of one document type of one requisition; a report is a document that waits for its QC. */
export const uploadPlace = (requisitionId: number, type: DocumentType | 'REPORT'): UploadPlace => ({
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
  return openUpload(call, store, uploadPlace(requisitionId, docTypeCode), fileName)
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
  const file = await takeUpload(call, store, uploadPlace(requisitionId, type), input)
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

/** A signed address that lives five minutes: to save the file, or to show it. */
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
