import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { can } from '@lis/contract/access/permissions.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { zipName, zipOf } from '../../platform/storage/zip.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { makeSupersededCopy } from './pdf-copies.ts'
import { findReportFiles, isAvailable, isHiddenFrom, type ReportFile } from './queries.ts'
import { recordReportAccess } from './service.ts'

const pdf = 'application/pdf'
const temporarySeconds = 3600

interface ReadCall {
  db: Db
  actor: Actor
  services: Services
}

/** The file of a report, or the marked copy that was made for this reader. */
interface ServedFile {
  file: ReportFile
  key: string
  sha256: string
  isTemporary: boolean
}

/** For an earlier version, a copy marked as superseded; the stored file stays unchanged. Slow, so outside of any transaction. */
const prepareFile = async (
  { store, reportSeal }: Pick<Services, 'store' | 'reportSeal'>,
  file: ReportFile,
): Promise<ServedFile> => {
  const { object_key, sha256, version_no } = file
  if (version_no === file.current_version_no) return { file, key: object_key, sha256, isTemporary: false }
  const key = `exports/${randomUUID()}.pdf`
  const marked = await makeSupersededCopy(() => store.read(object_key, sha256), version_no, reportSeal)
  const copy = await store.put(key, marked, pdf)
  return { file, key, ...copy, isTemporary: true }
}

const registerTemporary = (trx: Trx, { sessionId }: Actor, key: string) =>
  registerTemporaryObject(trx, { key, sessionId, purpose: 'download', seconds: temporarySeconds })

interface OneFileCall extends ReadCall {
  requestId: string
}

/** The file of a report that this person may view. Before the release it is for those who may edit reports. */
const prepareView = async ({ db, actor, services }: ReadCall, id: number, versionNo?: number): Promise<ServedFile> => {
  const [file] = await findReportFiles(db, [id], versionNo)
  if (!file || isHiddenFrom(file, actor.role)) throw notFound('Report')
  await requireRequisition(db, actor, file.requisition_id).catch(() => {
    throw notFound('Report')
  })
  if (!isAvailable(file) && !can(actor.role, 'reports.edit')) throw notFound('Report')
  return prepareFile(services, file)
}

const recordView = (
  { db, actor, requestId, services }: OneFileCall,
  { file, key, isTemporary }: ServedFile,
  action: 'VIEW' | 'DOWNLOAD',
) =>
  db.transaction().execute(async (trx) => {
    if (isTemporary) await registerTemporary(trx, actor, key)
    await recordReportAccess({ db: trx, actor, requestId }, [file], action)
    services.accessLog.note(requestId, { reqIds: [file.requisition_id] })
  })

/** A signed URL for the viewer inside the page. */
export const viewReport = async (call: OneFileCall, id: number, versionNo?: number) => {
  const served = await prepareView(call, id, versionNo)
  const url = await call.services.store.downloadUrl(served.key, {
    sha256: served.sha256,
    fileName: served.file.original_name,
    contentType: pdf,
    inline: true,
    expiresSeconds: downloadSeconds,
  })
  await recordView(call, served, 'VIEW')
  return url
}

/** The file itself, for a system that reads it. */
export const readReportFile = async (call: OneFileCall, id: number, versionNo: number) => {
  const served = await prepareView(call, id, versionNo)
  if (!isAvailable(served.file)) throw notFound('Report')
  const bytes = await buffer(await call.services.store.read(served.key, served.sha256))
  await recordView(call, served, 'DOWNLOAD')
  const { requisition_id: requisitionId, sha256, made_at, current_made_at } = served.file
  // A copy is marked as superseded each time it is read.
  const isSuperseded = served.isTemporary
  return {
    bytes,
    requisitionId,
    version: isSuperseded ? `${sha256}-superseded` : sha256,
    changedAt: isSuperseded ? current_made_at : made_at,
  }
}

export interface DownloadInput {
  callSource: string
  reportIds: readonly number[]
  versionNo?: number | undefined
}

const findRequested = async (db: Db, actor: Actor, requisitionId: number, { reportIds, versionNo }: DownloadInput) => {
  await requireRequisition(db, actor, requisitionId)
  const files = (await findReportFiles(db, reportIds, versionNo)).filter(
    (file) => file.requisition_id === requisitionId && !isHiddenFrom(file, actor.role),
  )
  if (files.length < new Set(reportIds).size) throw notFound('Report')
  const held = files.find((file) => !isAvailable(file))
  if (held) throw conflict(`Report ${held.original_name} has not been released`)
  return files
}

/** Prepares the files of released reports of one requisition. */
export const prepareDownload = async (
  { db, actor, services }: ReadCall,
  requisitionId: number,
  input: DownloadInput,
) => {
  const served: ServedFile[] = []
  for (const file of await findRequested(db, actor, requisitionId, input))
    served.push(await prepareFile(services, file))
  return served
}

/** A signed URL of one file, or of a ZIP of several. */
export const downloadReports = async (
  write: WriteCall,
  services: Services,
  requisitionId: number,
  input: DownloadInput,
  served: readonly ServedFile[],
) => {
  const { db, actor, requestId } = write
  const { callSource, reportIds, versionNo } = input
  // They may have been held or corrected meanwhile.
  const files = await findRequested(db, actor, requisitionId, input)
  const isSame = files.every((file, index) => file.current_version_no === served[index]?.file.current_version_no)
  if (!isSame) throw conflict('A report has been corrected just now; please try again')
  for (const { key, isTemporary } of served) if (isTemporary) await registerTemporary(db, actor, key)
  await recordReportAccess(write, files, 'DOWNLOAD', callSource)
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'DOWNLOAD',
    new: { callSource, reportIds, ...(versionNo && { versionNo }) },
  })
  const [first, ...others] = served as [ServedFile, ...ServedFile[]]
  return others.length === 0 ? fileUrl(services, first) : zipUrl(db, actor, services, requisitionId, served)
}

const fileUrl = ({ store }: Services, { key, sha256, file }: ServedFile) =>
  store.downloadUrl(key, {
    sha256,
    fileName: file.original_name,
    contentType: pdf,
    expiresSeconds: downloadSeconds,
  })

const zipUrl = async (
  trx: Trx,
  actor: Actor,
  { store }: Services,
  requisitionId: number,
  served: readonly ServedFile[],
) => {
  const key = `exports/${randomUUID()}.zip`
  await registerTemporary(trx, actor, key)
  const entries = served.map(({ file, key, sha256 }) => ({
    path: `${requisitionId}/${file.report_id}-${zipName(file.original_name)}`,
    key,
    sha256,
  }))
  const { sha256 } = await store.put(key, zipOf(entries, store), 'application/zip')
  const fileName = `reports-${requisitionId}.zip`
  return store.downloadUrl(key, { sha256, fileName, contentType: 'application/zip', expiresSeconds: downloadSeconds })
}
