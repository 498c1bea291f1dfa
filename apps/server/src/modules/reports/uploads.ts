import type { DocumentInput } from '@lis/contract/client-records.ts'
import type { ReportCheckDecision } from '@lis/contract/reports.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { ObjectStore } from '../../platform/storage/object-store.ts'
import { sniff } from '../../platform/storage/sniff.ts'
import { digest, type RegisteredFile } from '../../platform/storage/stored-files.ts'
import { uploadPlace } from '../documents/service.ts'
import type { FileContent } from '../guard/content.ts'
import { faults, type Kept, readFile, requireProof } from '../guard/service.ts'
import { lockRequisition, requireRequisition } from '../requisition-record/queries.ts'
import { findOwnUpload, takeUpload } from '../uploads/service.ts'

/** A report as it lies in the store, before anything is decided. */
export interface ReadUpload {
  input: DocumentInput
  sha256: Buffer
  /** Null when it is no PDF: then there is nothing to read, and taking it in is refused. */
  content: FileContent | null
}

/** Reads what somebody has uploaded for a requisition, outside of any transaction. */
export const readUpload = async (
  call: { db: Db; actor: Actor },
  store: ObjectStore,
  requisitionId: number,
  input: DocumentInput,
): Promise<ReadUpload> => {
  await requireRequisition(call.db, call.actor, requisitionId)
  const key = await findOwnUpload(call, store, uploadPlace(requisitionId, 'REPORT'), input)
  const { head, sha256 } = await digest(store, key)
  if (sniff(head) !== 'pdf') return { input, sha256, content: null }
  const content = await readFile(() => store.get(key), 'pdf')
  if (content.fault) throw invalid('reportFileName', faults[content.fault])
  return { input, sha256, content }
}

export interface ProvenUpload extends RegisteredFile {
  originalName: string
  kept: Kept | null
}

/** Takes the file in for a requisition: only if it proves whose report it is, or somebody has decided to keep it all the same. */
export const takeReport = async (
  write: WriteCall,
  store: ObjectStore,
  requisitionId: number,
  { input, sha256, content }: ReadUpload,
  decision: ReportCheckDecision | undefined,
): Promise<ProvenUpload> => {
  await lockRequisition(write.db, write.actor, requisitionId)
  const file = await takeUpload(write, store, uploadPlace(requisitionId, 'REPORT'), input)
  if (!content || !file.sha256.equals(sha256))
    throw conflict('The file was replaced while it was read: upload it again')
  const kept = await requireProof(write.db, requisitionId, { id: file.id, content }, decision)
  return { ...file, originalName: input.originalFileName, kept }
}
