import { createHash } from 'node:crypto'
import type { Trx } from '../db/db.ts'
import { AppError, invalid } from '../errors.ts'
import { cleanFileName, type ObjectStore } from './object-store.ts'
import { contentTypes, type FileKind, sniff, sniffBytes } from './sniff.ts'

export interface RegisterInput {
  key: string
  originalName: string
  accept: readonly FileKind[]
  createdBy: number | null
  /** The field that an error names; `file` by default. */
  field?: string
}

export interface RegisteredFile {
  id: number
  key: string
  kind: FileKind
  contentType: string
  byteSize: number
  sha256: Buffer
}

/** Registers an uploaded object in `stored_file`: reads it once as a stream, and determines its type by its bytes, not its name. */
export const registerFile = async (trx: Trx, store: ObjectStore, input: RegisterInput): Promise<RegisteredFile> => {
  const field = input.field ?? 'file'
  const key = await settleUpload(store, input.key, field)
  const { head, byteSize, sha256 } = await digestObject(store, key)
  const kind = sniff(head)
  if (!kind || !input.accept.includes(kind)) {
    await store.remove(key)
    throw invalid(field, `The file is not ${listed(input.accept)}`)
  }
  const contentType = contentTypes[kind]
  const row = await trx
    .insertInto('stored_file')
    .values({
      object_key: key,
      original_name: cleanFileName(input.originalName).slice(0, 255) || 'file',
      content_type: contentType,
      byte_size: byteSize,
      sha256,
      created_by: input.createdBy,
    })
    .onConflict((oc) => oc.column('object_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!row) throw invalid(field, 'This upload has been used before')
  return { id: row.id, key, kind, contentType, byteSize, sha256 }
}

/** Stores a file that we made ourselves. */
export const storeFile = async (
  trx: Trx,
  store: ObjectStore,
  file: { key: string; body: Buffer; originalName: string; contentType: string; createdBy: number | null },
): Promise<{ id: number; sha256: Buffer; byteSize: number }> => {
  await store.put(file.key, file.body, file.contentType)
  const sha256 = createHash('sha256').update(file.body).digest()
  const { id } = await trx
    .insertInto('stored_file')
    .values({
      object_key: file.key,
      original_name: cleanFileName(file.originalName),
      content_type: file.contentType,
      byte_size: file.body.length,
      sha256,
      created_by: file.createdBy,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, sha256, byteSize: file.body.length }
}

const settleUpload = async (store: ObjectStore, key: string, field: string) => {
  try {
    return await store.settle(key)
  } catch (error) {
    throw isMissing(error) ? invalid(field, 'The file has not been uploaded') : error
  }
}

const isMissing = (error: unknown) => error instanceof AppError && error.code === 'notFound'

/** The first bytes, size and hash of an object, read once as a stream. */
export const digestObject = async (store: Pick<ObjectStore, 'get'>, key: string) => {
  const hash = createHash('sha256')
  let head = Buffer.alloc(0)
  let byteSize = 0
  for await (const chunk of (await store.get(key)) as AsyncIterable<Buffer>) {
    if (head.length < sniffBytes) head = Buffer.concat([head, chunk.subarray(0, sniffBytes - head.length)])
    hash.update(chunk)
    byteSize += chunk.length
  }
  return { head, byteSize, sha256: hash.digest() }
}

const names: Record<FileKind, string> = {
  pdf: 'a PDF',
  png: 'a PNG',
  jpeg: 'a JPEG',
  tiff: 'a TIFF',
  zip: 'a ZIP',
  csv: 'a CSV',
}
const listed = (accept: readonly FileKind[]) =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(accept.map((kind) => names[kind]))
