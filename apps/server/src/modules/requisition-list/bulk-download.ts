import { randomUUID } from 'node:crypto'
import type { Outcome } from '@lis/contract/requisitions/moves.ts'
import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Trx } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import { getHomeDay } from '../../platform/home-zone.ts'
import type { Services } from '../../platform/services.ts'
import { downloadSeconds, registerTemporaryObject } from '../../platform/storage/slots.ts'
import { zipName, zipOf } from '../../platform/storage/zip.ts'
import { findCandidates } from '../life-cycle/service.ts'
import { recordReportAccess } from '../reports/service.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

interface ReportFile {
  report_id: number
  version_no: number
  requisition_id: number
  object_key: string
  sha256: string
  original_name: string
}

interface Download {
  trx: Trx
  actor: Actor
  requestId: string
  services: Services
}

/** Which of the requisitions have a report to download; makes no file. */
export const planDownload = async ({ trx, actor }: Pick<Download, 'trx' | 'actor'>, reqIds: readonly number[]) => {
  const files = await releasedReports(trx, actor, reqIds)
  const outcome = await outcomeOf({ trx, actor }, reqIds, files)
  return { retval: 'SUCCESS' as const, data: { ...outcome, url: null, exportUrl: null }, message: '' }
}

const outcomeOf = async (
  { trx, actor }: Pick<Download, 'trx' | 'actor'>,
  reqIds: readonly number[],
  files: readonly ReportFile[],
): Promise<Outcome> => {
  const found = new Set(files.map(({ requisition_id }) => requisition_id))
  const without = reqIds.filter((id) => !found.has(id))
  const known = await findCandidates({ db: trx, actor }, without, [])
  return {
    moved: reqIds.filter((id) => found.has(id)),
    refused: without.map((id) => {
      const candidate = known.get(id)
      return candidate
        ? { id, label: candidate.label, reason: `No released report for #${id}`, tabSlug: 'reportsDelivery' }
        : { id, label: `#${id}`, reason: `Requisition #${id} not found`, tabSlug: null }
    }),
  }
}

/** Streams the released reports of these requisitions into one ZIP file and returns a link valid for five minutes. */
export const downloadReports = async (
  { trx, actor, requestId, services }: Download,
  reqIds: readonly number[],
  callSource: string,
) => {
  const files = await releasedReports(trx, actor, reqIds)
  const found = new Set(files.map(({ requisition_id }) => requisition_id))
  const without = reqIds.filter((id) => !found.has(id))
  if (files.length === 0) throw new AppError('notFound', `No released report for ${listed(without)}`)
  const file = await fileOf({ trx, actor, services }, files)
  await recordReportAccess({ db: trx, actor, requestId }, files, 'DOWNLOAD')
  const ids = [...found]
  await recordAudit(
    trx,
    actor,
    requestId,
    ids.map((id) => ({
      entity: 'requisition',
      entityId: id,
      requisitionId: id,
      action: 'DOWNLOAD',
      new: { callSource },
    })),
  )
  services.accessLog.note(requestId, { reqIds: ids })
  const url = await services.store.downloadUrl(file.key, { ...file, expiresSeconds: downloadSeconds })
  return {
    retval: 'SUCCESS' as const,
    data: { ...(await outcomeOf({ trx, actor }, reqIds, files)), url, exportUrl: url },
    message: without.length > 0 ? `No released report for ${listed(without)}` : '',
  }
}

/** One report as it is, several as a ZIP, named after the requisition if there is one: files of two patients must not share a name. */
const fileOf = async (
  { trx, actor, services }: { trx: Trx; actor: Actor; services: Services },
  files: readonly ReportFile[],
) => {
  const [first, ...others] = files as [ReportFile, ...ReportFile[]]
  if (others.length === 0)
    return {
      key: first.object_key,
      sha256: first.sha256,
      fileName: first.original_name,
      contentType: 'application/pdf',
    }
  const key = `exports/${randomUUID()}.zip`
  await registerTemporaryObject(trx, { key, sessionId: actor.sessionId, purpose: 'download', seconds: 3600 })
  const entries = files.map((file) => ({
    path: `${file.requisition_id}/${file.report_id}-${zipName(file.original_name)}`,
    key: file.object_key,
    sha256: file.sha256,
  }))
  const contentType = 'application/zip'
  const { sha256 } = await services.store.put(key, zipOf(entries, services.store), contentType)
  const isOfOne = files.every(({ requisition_id }) => requisition_id === first.requisition_id)
  return { key, sha256, fileName: `reports-${isOfOne ? first.requisition_id : await getHomeDay(trx)}.zip`, contentType }
}

const listed = (ids: readonly number[]) => {
  const shown = ids
    .slice(0, 10)
    .map((id) => `#${id}`)
    .join(', ')
  return ids.length > 10 ? `${shown} and ${ids.length - 10} more` : shown
}

const releasedReports = async (trx: Trx, actor: Actor, reqIds: readonly number[]): Promise<ReportFile[]> => {
  const { rows } = await sql<ReportFile>`
    select p.id as report_id, v.version_no, p.requisition_id, f.object_key, encode(f.sha256, 'hex') as sha256, f.original_name
    from requisition_list l join report p on p.requisition_id = l.requisition_id and p.deleted_at is null and p.lab_qc_status_code = 'RELEASE'
    join report_version v on v.report_id = p.id and v.version_no = p.current_version_no join stored_file f on f.id = report_file(v.report_id, v.version_no, v.file_id)
    where l.requisition_id = any(${[...reqIds]}::bigint[]) and ${visibleRequisitions(actor)} order by p.requisition_id, p.id`.execute(
    trx,
  )
  return rows
}
