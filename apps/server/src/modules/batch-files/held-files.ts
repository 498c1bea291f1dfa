import {
  batchFileMessages,
  type HeldFile,
  type HeldFileDetail,
  type MatchingDecision,
  type UploadedFile,
} from '@lis/contract/batch-files.ts'
import { patientMessages } from '@lis/contract/patients.ts'
import { displayStatus, type StatusCode } from '@lis/contract/requisitions/status.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { findRow } from '../../platform/lists.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds } from '../../platform/storage/slots.ts'
import type { FileContent } from '../guard/content.ts'
import { findTarget, lockAndFindCopies, type TargetRecord } from '../guard/queries.ts'
import { compareWithRecord, copyMessage, describeContent, describeFinding, usDate } from '../guard/service.ts'
import { fileOnRequisition, lockRequisitionForFiling } from './filing.ts'
import { kindOf, type Reading, readStored } from './process-file.ts'
import { findFile, heldFileList, setFileState } from './queries.ts'
import { getFile } from './service.ts'

const findStored = (db: Db, fileId: number) =>
  db
    .selectFrom('report_upload_file as f')
    .innerJoin('stored_file as s', 's.id', 'f.file_id')
    .select((eb) => [
      's.object_key',
      eb.fn<string>('encode', ['s.sha256', sql.lit('hex')]).as('sha256'),
      's.content_type',
      's.original_name',
      eb.ref('f.reading').$castTo<Reading>().as('reading'),
    ])
    .where('f.id', '=', bigint(fileId))
    .executeTakeFirst()

type Stored = NonNullable<Awaited<ReturnType<typeof findStored>>>

/**
 * A held file beside the requisition it is compared with: `reqId`, or the one it was held for. Without a requisition the file is shown
 * alone, so that it can still be rejected or assigned to another.
 */
export const getHeldFile = async (
  { db, services }: { db: Db; services: Services },
  fileId: number,
  reqId: number | undefined,
): Promise<HeldFileDetail> => {
  const held = await findRow<HeldFile>(db, heldFileList, fileId)
  const stored = await findStored(db, fileId)
  if (!held || !stored) throw notFound('File')
  const wanted = reqId ?? held.reqId
  const record = wanted === null ? undefined : await findTarget(db, wanted)
  const content = await contentOf(services, stored)
  const named = new Set(stored.reading.namedReqIds)
  const compared = record ? compareWithRecord(content, record, named).compared : describeContent(content, named)
  return {
    ...held,
    compared,
    url: await services.store.downloadUrl(stored.object_key, {
      sha256: stored.sha256,
      fileName: stored.original_name,
      contentType: stored.content_type,
      inline: true,
      expiresSeconds: downloadSeconds,
    }),
    contentType: stored.content_type,
    text: shownText(content),
    record: record
      ? {
          reqId: record.reqId,
          patientId: record.patientId,
          patientName: nameOf(record),
          patientDob: usDate(record.dob),
          clientName: record.clientName,
          status: displayStatus(record.status as StatusCode),
        }
      : null,
  }
}

const contentOf = (services: Services, { reading, object_key, sha256, content_type }: Stored): Promise<FileContent> =>
  reading.wholeContent
    ? Promise.resolve(reading.wholeContent)
    : readStored(services, { key: object_key, sha256, kind: kindOf(content_type) })

const mostText = 6000

/** Cut for display only, with a note. */
const shownText = ({ lines, unreadPages }: FileContent): string => {
  const text = lines.join('\n')
  return text.length > mostText || unreadPages > 0
    ? `${text.slice(0, mostText)}\n${batchFileMessages.textTruncated}`
    : text
}

const nameOf = ({ lastName, firstName, middleName }: TargetRecord) =>
  [lastName, [firstName, middleName].filter(Boolean).join(' ')].join(', ')

/** A person files or rejects the file and gives a reason; both are recorded in the audit. */
export const decideHeldFile = async (
  { db, actor, requestId }: WriteCall,
  fileId: number,
  decision: MatchingDecision,
  expected: number | null,
): Promise<UploadedFile> => {
  const file = await findFile(db, fileId, true)
  if (!file) throw notFound('File')
  if (file.status_code !== 'HELD') throw conflict('Somebody else has decided on this file already')
  await requireVersion(db, 'report_upload_file', expected, file)
  const { reason } = decision
  const filed = decision.decision === 'FILE' ? await fileBy(db, actor, requestId, file, decision) : null
  await setFileState(
    db,
    fileId,
    filed
      ? { status_code: 'COMPLETE', note: `Filed by ${actor.name}: ${reason}`, ...filed }
      : { status_code: 'REJECTED', note: reason },
  )
  await db
    .updateTable('report_upload_file')
    .set({ decided_by: actor.userId, decided_at: sql<string>`now()`, decision_reason: reason })
    .where('id', '=', fileId)
    .execute()
  const requisitionId = filed?.requisition_id ?? file.requisition_id
  await recordAudit(db, actor, requestId, {
    entity: 'report_upload_file',
    entityId: fileId,
    ...(requisitionId !== null && { requisitionId }),
    action: decision.decision,
    reason,
    new: { originalFileName: file.original_name, reqId: requisitionId },
  })
  return getFile(db, actor, fileId)
}

type HeldRow = NonNullable<Awaited<ReturnType<typeof findFile>>>

/** What does not agree with the chosen requisition, which need not be the one the file was held for. */
const findingBeside = async (db: Db, file: HeldRow, record: TargetRecord): Promise<string | null> => {
  const row = await db
    .selectFrom('report_upload_file')
    .select((eb) => eb.ref('reading').$castTo<Reading | null>().as('reading'))
    .where('id', '=', file.id)
    .executeTakeFirst()
  const { wholeContent, namedReqIds } = row?.reading ?? {}
  // Held before the whole text was stored.
  if (!wholeContent) return file.note
  return describeFinding(
    file.batch_type_code,
    wholeContent,
    compareWithRecord(wholeContent, record, new Set(namedReqIds)),
  )
}

const fileBy = async (
  db: WriteCall['db'],
  actor: Actor,
  requestId: string,
  file: HeldRow,
  { reqId, seenPatientId, reason }: Extract<MatchingDecision, { decision: 'FILE' }>,
) => {
  const collaboratorId = file.loader_role === 'COLA' ? (file.loader_collaborator_id ?? 0) : null
  await lockRequisitionForFiling(db, reqId)
  const record = await findTarget(db, reqId, collaboratorId)
  if (!record) throw invalid('reqId', `There is no requisition #${reqId}`)
  if (seenPatientId !== undefined && seenPatientId !== record.patientId)
    throw conflict(patientMessages.givenTo(reqId, nameOf(record)))
  const fileIdStored = file.file_id as number
  const copies = await lockAndFindCopies(db, file.batch_type_code, fileIdStored)
  const copy = copies.find((one) => one.requisition_id === reqId)
  if (copy) return copy
  const elsewhere = copies[0]
  const finding = elsewhere ? copyMessage(elsewhere.requisition_id) : await findingBeside(db, file, record)
  const filed = await fileOnRequisition(
    { db, actor, requestId },
    {
      type: file.batch_type_code,
      uploadId: file.upload_id,
      fileId: fileIdStored,
      reqId,
      originalName: file.original_name,
      ...(finding !== null && { kept: { finding, reason } }),
    },
  )
  return { requisition_id: reqId, ...filed }
}
