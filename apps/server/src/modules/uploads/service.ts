import { randomUUID } from 'node:crypto'
import { extname } from 'node:path'
import type { DocumentInput } from '@lis/contract/client-records.ts'
import { messages } from '@lis/contract/messages.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { findUpload, type ObjectStore } from '../../platform/storage/object-store.ts'
import { createUploadSlot, requireOwnUpload } from '../../platform/storage/slots.ts'
import type { FileKind } from '../../platform/storage/sniff.ts'
import { type RegisteredFile, registerFile } from '../../platform/storage/stored-files.ts'

/** The folder and purpose of an upload: a file uploaded for one purpose cannot be registered for another. */
export interface UploadTarget {
  folder: string
  purpose: string
  /** The accepted kinds of file by extension. */
  kinds: Record<string, FileKind>
  /** As the error message names them. */
  kindNames: string
}

export const documentKinds: Pick<UploadTarget, 'kinds' | 'kindNames'> = {
  kinds: { '.pdf': 'pdf', '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg', '.tif': 'tiff', '.tiff': 'tiff' },
  kindNames: 'PDF, PNG, JPEG and TIFF',
}

const kindOf = ({ kinds, kindNames }: UploadTarget, fileName: string, field: string): FileKind => {
  const kind = kinds[extname(fileName).toLowerCase()]
  if (!kind) throw invalid(field, messages.fileKinds(kindNames))
  return kind
}

/** An upload slot for one file, under a generated name. */
export const openUpload = async (
  { db, actor }: WriteCall,
  store: ObjectStore,
  target: UploadTarget,
  fileName: string,
) => {
  kindOf(target, fileName, 'fileName')
  const newFileName = `${randomUUID()}${extname(fileName).toLowerCase()}`
  const slot = { sessionId: actor.sessionId, purpose: target.purpose, key: `${target.folder}/${newFileName}` }
  const { url, fields } = await createUploadSlot(db, store, slot)
  return { url, fields, newFileName }
}

interface UploadCall {
  db: Db
  actor: Actor
}

const requireUpload = async (
  { db, actor }: UploadCall,
  target: UploadTarget,
  { originalFileName, fileName }: DocumentInput,
) => {
  const kind = kindOf(target, originalFileName, 'originalFileName')
  if (!/^[0-9a-f-]{36}\.[a-z]{3,4}$/.test(fileName)) throw invalid('fileName', 'This file was not uploaded here')
  const key = `${target.folder}/${fileName}`
  await requireOwnUpload(db, { key, sessionId: actor.sessionId, purpose: target.purpose })
  return { key, kind }
}

/** The storage key of a file that this session has uploaded for this purpose, before it is registered. */
export const findOwnUpload = async (
  call: UploadCall,
  store: ObjectStore,
  target: UploadTarget,
  input: DocumentInput,
) => {
  const { key } = await requireUpload(call, target, input)
  const found = await findUpload(store, key)
  if (!found) throw invalid('fileName', 'The file has not been uploaded')
  return found.key
}

/** Registers the uploaded file if this session uploaded it for this purpose and its content fits its extension. */
export const registerUpload = async (
  call: WriteCall,
  store: ObjectStore,
  target: UploadTarget,
  input: DocumentInput,
): Promise<RegisteredFile> => {
  const { db, actor } = call
  const { originalFileName } = input
  const { key, kind } = await requireUpload(call, target, input)
  return registerFile(db, store, {
    key,
    originalName: originalFileName,
    accept: [kind],
    createdBy: actor.userId,
    field: 'fileName',
  })
}
