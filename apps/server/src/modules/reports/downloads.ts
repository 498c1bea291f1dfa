import { randomUUID } from 'node:crypto'
import { can } from '@lis/contract/access/permissions.ts'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { conflict, notFound } from '../../platform/http/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, keepTemporarily } from '../../platform/storage/slots.ts'
import { zipName, zipOf } from '../../platform/storage/zip.ts'
import { requireRequisition } from '../requisitions/queries.ts'
import { supersededCopy } from './marked.ts'
import { findReportFiles, isForeign, isOut, type ReportFile } from './queries.ts'
import { noteReading } from './service.ts'

const pdf = 'application/pdf'
const temporarySeconds = 3600

interface ViewCall {
  db: Db
  actor: Actor
  requestId: string
  services: Services
}

/** A signed address that the viewer opens inside the page. Before the release only who may edit reports sees one. */
export const viewReport = async ({ db, actor, requestId, services }: ViewCall, id: number, versionNo?: number) => {
  const [file] = await findReportFiles(db, [id], versionNo)
  if (!file || isForeign(file, actor.role)) throw notFound('Report')
  await requireRequisition(db, actor, file.requisition_id).catch(() => {
    throw notFound('Report')
  })
  if (!isOut(file) && !can(actor.role, 'reports.edit')) throw notFound('Report')
  return db.transaction().execute(async (trx) => {
    const key = await keyOf(trx, actor, services, file)
    await noteReading({ db: trx, actor, requestId }, [file], 'VIEW')
    services.accessLog.record({ userId: actor.userId, requestId, action: 'VIEW', requisitionId: file.requisition_id })
    return services.store.downloadUrl(key, {
      fileName: file.original_name,
      contentType: pdf,
      inline: true,
      expiresSeconds: downloadSeconds,
    })
  })
}

export interface DownloadInput {
  callSource: string
  reportIds: readonly number[]
  versionNo?: number | undefined
}

/** Released reports of one requisition: one as it is, several as a ZIP. */
export const downloadReports = async (
  write: WriteCall,
  services: Services,
  requisitionId: number,
  { callSource, reportIds, versionNo }: DownloadInput,
) => {
  const { db, actor, requestId } = write
  await requireRequisition(db, actor, requisitionId)
  const files = (await findReportFiles(db, reportIds, versionNo)).filter(
    (file) => file.requisition_id === requisitionId && !isForeign(file, actor.role),
  )
  if (files.length < new Set(reportIds).size) throw notFound('Report')
  const held = files.find((file) => !isOut(file))
  if (held) throw conflict(`Report ${held.original_name} has not been released`)
  await noteReading(write, files, 'DOWNLOAD', callSource)
  await recordAudit(db, actor, requestId, {
    entity: 'requisition',
    entityId: requisitionId,
    requisitionId,
    action: 'DOWNLOAD',
    new: { callSource, reportIds, ...(versionNo && { versionNo }) },
  })
  services.accessLog.record({ userId: actor.userId, requestId, action: 'DOWNLOAD', requisitionId })
  return files.length === 1
    ? addressOf(db, actor, services, files[0] as ReportFile)
    : zipAddress(db, actor, services, requisitionId, files)
}

const addressOf = async (trx: Trx, actor: Actor, services: Services, file: ReportFile) =>
  services.store.downloadUrl(await keyOf(trx, actor, services, file), {
    fileName: file.original_name,
    contentType: pdf,
    expiresSeconds: downloadSeconds,
  })

/** An earlier version is handed out with its mark; the file itself stays as it was. */
const keyOf = async (trx: Trx, actor: Actor, { store }: Services, file: ReportFile): Promise<string> => {
  if (file.version_no === file.current_version_no) return file.object_key
  const key = `exports/${randomUUID()}.pdf`
  await keepTemporarily(trx, { key, sessionId: actor.sessionId, purpose: 'download', seconds: temporarySeconds })
  await store.put(key, await supersededCopy(() => store.get(file.object_key), file.version_no), pdf)
  return key
}

const zipAddress = async (
  trx: Trx,
  actor: Actor,
  services: Services,
  requisitionId: number,
  files: readonly ReportFile[],
) => {
  const { store } = services
  const key = `exports/${randomUUID()}.zip`
  await keepTemporarily(trx, { key, sessionId: actor.sessionId, purpose: 'download', seconds: temporarySeconds })
  const entries = []
  for (const file of files)
    entries.push({
      path: `${requisitionId}/${file.report_id}-${zipName(file.original_name)}`,
      key: await keyOf(trx, actor, services, file),
    })
  await store.put(key, zipOf(entries, store), 'application/zip')
  const fileName = `reports-${requisitionId}.zip`
  return store.downloadUrl(key, { fileName, contentType: 'application/zip', expiresSeconds: downloadSeconds })
}
