import { randomUUID } from 'node:crypto'
import type { BatchType, FieldComparison } from '@lis/contract/batch-files.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import { systemScope } from '../../platform/db/scope.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import type { FileKind } from '../../platform/storage/sniff.ts'
import { registerFile } from '../../platform/storage/stored-files.ts'
import type { FileContent } from '../guard/content.ts'
import { existingRequisitions, findTarget, lockAndFindCopies } from '../guard/queries.ts'
import {
  compareWithRecord,
  copyMessage,
  describeContent,
  describeFinding,
  faults,
  numbersIn,
  readFile,
} from '../guard/service.ts'
import { fileOnRequisition, lockRequisitionForFiling } from './filing.ts'
import { type FileRow, findFile, setFileState } from './queries.ts'

const accepted: Record<BatchType, readonly FileKind[]> = {
  REPORT: ['pdf'],
  SCANREQ: ['pdf', 'png', 'jpeg', 'tiff'],
}

/** The stored result of reading a file. */
export interface Reading {
  compared: FieldComparison[]
  namedReqIds: number[]
  /**
   * Stored while a person has to decide, and never cut: it is compared with other records, and missing text would count as agreement.
   * Absent in files held before the whole text was stored.
   */
  wholeContent?: FileContent
}

/** The requisition id at the start of a file name: `1000123.pdf`, `1000123_final.pdf`, `1000123-2.pdf`. */
const reqIdOfName = (name: string): number | null => {
  const match = /^(\d{1,12})(?=[._\- ]|$)/.exec(name)
  return match ? Number(match[1]) : null
}

/**
 * Registers, reads and compares one uploaded file, then files or holds it. May be repeated at any time: a complete file stays complete,
 * and the row is locked while it is decided. The reading itself runs outside of any transaction.
 */
export const processFile = async (
  services: Services,
  fileId: number,
  requestId: string = randomUUID(),
): Promise<void> => {
  const db = services.databases(systemScope)
  const before = await findFile(db, fileId)
  if (before?.status_code !== 'INIT') return
  const taken = await db.transaction().execute((trx) => registerUpload(trx, services, fileId))
  if (!taken) return
  const content = await readStored(services, taken)
  await db.transaction().execute((trx) => decide(trx, fileId, content, requestId))
}

interface RegisteredFile {
  key: string
  sha256: string
  kind: string
}

/** Moves the object out of reach of its upload URL and checks its type by its bytes; null when nothing is left to decide. */
const registerUpload = async (trx: Trx, { store }: Services, fileId: number): Promise<RegisteredFile | null> => {
  const file = await findFile(trx, fileId, true)
  if (file?.status_code !== 'INIT') return null
  if (file.file_id !== null) return storedKind(trx, file.file_id)
  if ((await store.stat(file.object_key))?.size === 0) {
    await setFileState(trx, fileId, { status_code: 'BADFILE', note: 'The file is empty', arrived_at: null })
    return null
  }
  try {
    const stored = await registerFile(trx, store, {
      key: file.object_key,
      originalName: file.original_name,
      accept: accepted[file.batch_type_code],
      createdBy: file.load_by,
    })
    await trx.updateTable('report_upload_file').set({ file_id: stored.id }).where('id', '=', fileId).execute()
    return { key: stored.key, sha256: stored.sha256.toString('hex'), kind: stored.kind }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid') throw error
    const isMissing = error.message === 'The file has not been uploaded'
    const note = isMissing ? null : error.message
    await setFileState(trx, fileId, { status_code: isMissing ? 'FILENOTFOUND' : 'BADFILE', note, arrived_at: null })
    return null
  }
}

const storedKind = async (trx: Trx, id: number): Promise<RegisteredFile> => {
  const file = await trx
    .selectFrom('stored_file')
    .select(['object_key', 'content_type', 'sha256'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { key: file.object_key, sha256: file.sha256.toString('hex'), kind: kindOf(file.content_type) }
}

export const kindOf = (contentType: string) => contentType.replace(/^.*\//, '')

export const readStored = ({ store }: Services, { key, sha256, kind }: RegisteredFile): Promise<FileContent> =>
  readFile(() => store.read(key, sha256), kind)

const decide = async (trx: Trx, fileId: number, content: FileContent, requestId: string) => {
  const file = await findFile(trx, fileId, true)
  if (file?.status_code !== 'INIT' || file.file_id === null) return
  if (content.fault) return setFileState(trx, fileId, { status_code: 'BADFILE', note: faults[content.fault] })
  const reqId = reqIdOfName(file.original_name)
  const collaboratorId = file.loader_role === 'COLA' ? (file.loader_collaborator_id ?? 0) : null
  // Locked before it is read: the patient that the file is compared with must be the one it is filed for.
  if (reqId !== null) await lockRequisitionForFiling(trx, reqId)
  const record = reqId === null ? undefined : await findTarget(trx, reqId, collaboratorId)
  if (reqId === null || !record) {
    const note =
      reqId === null ? 'The file name must begin with the requisition id' : `There is no requisition #${reqId}`
    return setFileState(trx, fileId, { status_code: 'NOREQ', note, requisition_id: null })
  }
  const known = new Set(await existingRequisitions(trx, numbersIn(content)))
  const comparison = compareWithRecord(content, record, known)
  const reading = readingOf(content, comparison.compared, known)
  const copies = await lockAndFindCopies(trx, file.batch_type_code, file.file_id)
  const copy = copies.find(({ requisition_id }) => requisition_id === reqId)
  if (copy) {
    const note = 'The same file is on this requisition already; it was not filed again'
    const { report_id, document_id } = copy
    return setFileState(trx, fileId, {
      status_code: 'COMPLETE',
      note,
      requisition_id: reqId,
      report_id,
      document_id,
      reading,
    })
  }
  const elsewhere = copies[0]
  const finding = elsewhere
    ? copyMessage(elsewhere.requisition_id)
    : describeFinding(file.batch_type_code, content, comparison)
  if (finding !== null) {
    return setFileState(trx, fileId, {
      status_code: 'HELD',
      note: finding,
      requisition_id: reqId,
      reading: { ...reading, wholeContent: content },
    })
  }
  await complete(trx, requestId, file, reqId, reading)
}

const complete = async (trx: Trx, requestId: string, file: FileRow, reqId: number, reading: Reading) => {
  const filed = await fileOnRequisition(
    { db: trx, actor: senderOf(file), requestId },
    {
      type: file.batch_type_code,
      uploadId: file.upload_id,
      fileId: file.file_id as number,
      reqId,
      originalName: file.original_name,
    },
  )
  await setFileState(trx, file.id, { status_code: 'COMPLETE', requisition_id: reqId, reading, ...filed })
}

/** Files are filed in the name of their sender. */
const senderOf = (file: FileRow): Actor => ({
  userId: file.load_by,
  userName: '',
  name: file.loader_name,
  role: file.loader_role,
  entityId: file.loader_collaborator_id,
  departmentIds: [],
  sessionId: '',
  scope: { role: file.loader_role, ids: file.loader_collaborator_id === null ? [] : [file.loader_collaborator_id] },
})

const readingOf = (content: FileContent, compared: FieldComparison[], known: ReadonlySet<number>): Reading => ({
  compared: compared.length > 0 ? compared : describeContent(content, known),
  namedReqIds: [...known],
})

/** Processes stale files. */
export const processStale = async (services: Services, ids: readonly number[]): Promise<void> => {
  for (const id of ids) {
    await processFile(services, id)
    // A file that failed half-way is retried in the next round, not at once.
    await sql`update report_upload_file set arrived_at = now() where id = ${id}::bigint and status_code = 'INIT'`.execute(
      services.databases(systemScope),
    )
  }
}
