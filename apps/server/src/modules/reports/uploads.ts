import type { DocumentInput } from '@lis/contract/client-records.ts'
import type { ReportCheckDecision } from '@lis/contract/reports.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { conflict, invalid } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { ObjectStore } from '../../platform/storage/object-store.ts'
import { sniff } from '../../platform/storage/sniff.ts'
import { digestObject, type RegisteredFile } from '../../platform/storage/stored-files.ts'
import { uploadTarget } from '../documents/service.ts'
import type { FileContent } from '../guard/content.ts'
import { faults, type GuardOverride, readFile, requireMatchOrDecision } from '../guard/service.ts'
import { lockRequisition, requireRequisition } from '../requisition-record/queries.ts'
import { findOwnUpload, registerUpload } from '../uploads/service.ts'

/** An uploaded report that is not accepted yet. */
export interface ReadUpload {
  input: DocumentInput
  sha256: Buffer
  /** Null if it is not a PDF, which is refused later. */
  content: FileContent | null
}

/** Reads an upload for a requisition, outside of any transaction. */
export const readUpload = async (
  call: { db: Db; actor: Actor },
  store: ObjectStore,
  requisitionId: number,
  input: DocumentInput,
): Promise<ReadUpload> => {
  await requireRequisition(call.db, call.actor, requisitionId)
  const key = await findOwnUpload(call, store, uploadTarget(requisitionId, 'REPORT'), input)
  const { head, sha256 } = await digestObject(store, key)
  if (sniff(head) !== 'pdf') return { input, sha256, content: null }
  const content = await readFile(() => store.get(key), 'pdf')
  if (content.fault) throw invalid('reportFileName', faults[content.fault])
  return { input, sha256, content }
}

export interface VerifiedUpload extends RegisteredFile {
  originalName: string
  guardOverride: GuardOverride | null
}

/** Accepts an upload if it names the patient of the requisition, or if a person has decided to keep it anyway. */
export const acceptUpload = async (
  write: WriteCall,
  store: ObjectStore,
  requisitionId: number,
  { input, sha256, content }: ReadUpload,
  decision: ReportCheckDecision | undefined,
): Promise<VerifiedUpload> => {
  await lockRequisition(write.db, write.actor, requisitionId)
  const file = await registerUpload(write, store, uploadTarget(requisitionId, 'REPORT'), input)
  if (!content || !file.sha256.equals(sha256))
    throw conflict('The file was replaced while it was read: upload it again')
  const guardOverride = await requireMatchOrDecision(write.db, requisitionId, { id: file.id, content }, decision)
  return { ...file, originalName: input.originalFileName, guardOverride }
}
