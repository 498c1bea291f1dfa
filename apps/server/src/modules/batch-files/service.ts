import { randomUUID } from 'node:crypto'
import { can } from '@lis/contract/access/permissions.ts'
import type { BatchInit, FileSlot, UploadedFile } from '@lis/contract/batch-files.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { conflict, forbidden, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { findRow } from '../../platform/lists.ts'
import { cleanFileName, findUpload, type ObjectStore } from '../../platform/storage/object-store.ts'
import { createUploadSlot } from '../../platform/storage/slots.ts'
import { processFileJob } from './jobs.ts'
import { type FileRow, findFile, setFileState, uploadList, visibleFileList } from './queries.ts'

const keyOf = (uploadId: number, newFileName: string) => `batch-files/${uploadId}/${newFileName}`

/** Opens a batch: one row and one upload slot per file. Names are stored for display, never used as a path. */
export const initBatch = async (call: WriteCall, store: ObjectStore, input: BatchInit) => {
  const { db, actor } = call
  requireType(actor, input.batchTypeCode)
  const { id } = await db
    .insertInto('report_upload')
    .values({
      batch_type_code: input.batchTypeCode,
      total_files: input.fileNames.length,
      load_by: actor.userId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const rows = input.fileNames.map((name) => {
    const newFileName = randomUUID()
    return { name: safeName(name), newFileName, key: keyOf(id, newFileName) }
  })
  const kept = distinct(rows.map(({ name }) => name))
  const stored = await db
    .insertInto('report_upload_file')
    .values(rows.map(({ key }, index) => ({ upload_id: id, original_name: kept[index] as string, object_key: key })))
    .returning(['id', 'object_key', 'original_name'])
    .execute()
  const byKey = new Map(stored.map((row) => [row.object_key, row]))
  const files: FileSlot[] = []
  for (const { key, newFileName } of rows) {
    const row = byKey.get(key) as { id: number; original_name: string }
    const { url, fields } = await createUploadSlot(db, store, slotOf(actor, id, key))
    files.push({ id: row.id, reportOriginalFileName: row.original_name, url, fields, newFileName })
  }
  return { id, files }
}

/** A new slot for a file that was not uploaded or was unusable; processing starts over. */
export const renewSlot = async (
  call: WriteCall,
  store: ObjectStore,
  uploadId: number,
  fileId: number,
): Promise<FileSlot> => {
  const { db, actor } = call
  const file = await requireFile(db, actor, uploadId, fileId)
  const isOpen = file.status_code === 'INIT' && file.arrived_at === null
  if (!isOpen && file.status_code !== 'FILENOTFOUND' && file.status_code !== 'BADFILE')
    throw conflict('The file has been uploaded already')
  const newFileName = randomUUID()
  const key = keyOf(uploadId, newFileName)
  const { url, fields } = await createUploadSlot(db, store, slotOf(actor, uploadId, key))
  await setFileState(db, fileId, { status_code: 'INIT', arrived_at: null, file_id: null })
  await db.updateTable('report_upload_file').set({ object_key: key }).where('id', '=', fileId).execute()
  return { id: fileId, reportOriginalFileName: file.original_name, url, fields, newFileName }
}

/**
 * The sender reports a file as uploaded, or asks to repeat its assignment. A job processes it: reading takes time, and a batch has to
 * continue after a crash.
 */
export const finishFile = async (
  call: WriteCall,
  store: ObjectStore,
  uploadId: number,
  fileId: number,
): Promise<UploadedFile> => {
  const { db, actor } = call
  const file = await requireFile(db, actor, uploadId, fileId)
  if (file.status_code === 'REJECTED')
    throw conflict('The matching desk has rejected this file. To have it filed all the same, upload it again.')
  if (file.status_code !== 'COMPLETE') {
    const isUploaded = file.file_id !== null || (await findUpload(store, file.object_key)) !== null
    if (isUploaded) {
      await setFileState(db, fileId, { status_code: 'INIT', arrived_at: new Date().toISOString() })
      await startJob(db, processFileJob, { fileId }, { userId: actor.userId, singletonKey: String(fileId) })
    } else await setFileState(db, fileId, { status_code: 'FILENOTFOUND', arrived_at: null })
  }
  return getFile(db, actor, fileId)
}

export const getFile = async (db: Db, actor: Actor, fileId: number): Promise<UploadedFile> => {
  const found = await findRow<UploadedFile>(db, visibleFileList(actor), fileId)
  if (!found) throw notFound('File')
  return found
}

export const requireUpload = async (db: Db, actor: Actor, uploadId: number) => {
  if (!(await findRow(db, uploadList(actor), uploadId))) throw notFound('Upload')
}

/** Reports are for those who edit reports; collaborators may send scanned requisitions (BATCH-G1). */
const requireType = (actor: Actor, type: BatchInit['batchTypeCode']) => {
  if (type !== 'SCANREQ' && !can(actor.role, 'batchFiles.upload')) throw forbidden()
}

/** The file of an upload that the person may work on, locked until the call ends. */
const requireFile = async (trx: Trx, actor: Actor, uploadId: number, fileId: number): Promise<FileRow> => {
  const file = await findFile(trx, fileId, true)
  const isOwn = file?.load_by === actor.userId || can(actor.role, 'batchFiles.upload')
  if (!file || file.upload_id !== uploadId || !isOwn) throw notFound('File')
  requireType(actor, file.batch_type_code)
  return file
}

const slotOf = ({ sessionId }: Actor, uploadId: number, key: string) => ({
  sessionId,
  purpose: `batch-file:${uploadId}`,
  key,
})

const safeName = (name: string) => cleanFileName(name).slice(0, 255) || 'file'

/** Numbers repeated names: two paths may end in the same one. */
const distinct = (names: readonly string[]): string[] => {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const turn = (seen.get(name) ?? 0) + 1
    seen.set(name, turn)
    return turn === 1 ? name : `${name} (${turn})`
  })
}
