import { can, canAll } from '@lis/contract/access/permissions.ts'
import type { ReportInput, ReportItem, ReportPreview } from '@lis/contract/reports-pages.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError, forbidden, invalid, notFound } from '../../platform/errors.ts'
import { getHomeDay } from '../../platform/home-zone.ts'
import { findJob } from '../../platform/jobs/job-rows.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import type { Services } from '../../platform/services.ts'
import { type ReportCall, type ReportDefinition, reportCallOf } from './definition.ts'
import { definitions, type ReportKind } from './definitions.ts'
import { isReportStored, reportUrl, type StoredReport } from './file.ts'
import { makePackJob, packJobResult } from './inspection/job.ts'
import { makeReportJob, reportJobResult } from './jobs.ts'
import { type Download, fileName, makeFile, noteRequisitionsRead, type ReadReport } from './make-file.ts'
import { adHocTests, eventRequisitions } from './misc.ts'
import { findEvent, findRequisitionIds, listReports } from './queries.ts'
import { chartOf, isLongReport, noChart, readReport } from './run.ts'

const mayRun = ({ role }: Pick<Actor, 'role'>, { access = [] }: ReportDefinition) => canAll(role, access)

/** The reports of a tab that this person may run. */
export const listOwnReports = async (db: Db, actor: Actor, kind: ReportKind): Promise<ReportItem[]> => {
  const own = definitions[kind].filter((definition) => mayRun(actor, definition)).map(({ code }) => code)
  return (await listReports(db, kind)).filter(({ reportCode }) => own.includes(reportCode))
}

const requireReport = (actor: Actor, kind: ReportKind, code: string): ReportDefinition => {
  const found = definitions[kind].find((definition) => definition.code === code)
  if (!found) throw invalid('reportCode', 'Report not found')
  if (!mayRun(actor, found)) throw forbidden()
  return found
}

const shownRows = 200

/** The first rows and the chart. */
export const previewReport = async (
  { db, actor, services, requestId }: { db: Db; actor: Actor; services: Services; requestId: string },
  kind: ReportKind,
  input: ReportInput,
): Promise<ReportPreview> => {
  const definition = requireReport(actor, kind, input.reportCode)
  const call = reportCallOf(actor, input)
  const columns = [...definition.columns]
  if (await isLongReport(db, call)) {
    return { columns, chart: noChart, rows: [], rowCount: 0, isLong: true }
  }
  const rows = await readReport(services, definition, call)
  noteRequisitionsRead(services, requestId, rows.slice(0, shownRows))
  return {
    columns,
    chart: chartOf(definition, rows),
    rows: rows.slice(0, shownRows),
    rowCount: rows.length,
    isLong: false,
  }
}

/** A call that makes a file, before its transaction. */
interface Reading {
  db: Db
  actor: Actor
  services: Services
}

/** Reads the report that is downloaded; null if that takes so long that a job does it. */
export const readDownload = async (
  { db, actor, services }: Reading,
  kind: ReportKind,
  input: ReportInput,
): Promise<ReadReport | null> => {
  const definition = requireReport(actor, kind, input.reportCode)
  const call = reportCallOf(actor, input)
  if (await isLongReport(db, call)) return null
  return { definition, name: fileName(input), format: input.format, rows: await readReport(services, definition, call) }
}

/** The file, or the job that makes it. */
export const downloadReport = async (
  context: Download,
  kind: ReportKind,
  input: ReportInput,
  read: ReadReport | null,
) => {
  const { db, actor } = context
  if (!read) {
    const { reportCode, fromDate, toDate, labId, clientId, colaId, format } = input
    const filters = [labId, clientId, colaId].map((id) => id ?? '').join(' ')
    const { id } = await startJob(
      db,
      makeReportJob,
      { kind, ...input, sessionId: actor.sessionId },
      // The file belongs to one session, so another session of the same person starts its own job.
      {
        userId: actor.userId,
        singletonKey: `${actor.sessionId} ${reportCode} ${fromDate} ${toDate} ${filters} ${format}`,
      },
    )
    return { url: null, jobId: id }
  }
  return { url: await storeDownload(context, read), jobId: null }
}

/** The file of a background report: only for the requester, in the same session, while the role still allows the report. */
export const getReportOfJob = async (
  { db, actor, services }: { db: Db; actor: Actor; services: Services },
  jobId: string,
): Promise<string> => {
  const job = await findJob(db, jobId)
  const isOwn = job?.user_id === actor.userId && job.state === 'DONE'
  const made = isOwn ? findMadeFile(actor, job) : undefined
  if (!made) throw notFound('Report')
  if (!(await isReportStored(db, actor, made)))
    throw new AppError('notFound', 'The file of this report is no longer kept. Please download the report again.')
  return reportUrl(services, made)
}

/** The file made by a job of one of the two kinds, while the role still allows it. */
const findMadeFile = (actor: Actor, { kind, result }: { kind: string; result: unknown }): StoredReport | undefined => {
  if (kind === makePackJob.kind) {
    if (!can(actor.role, 'inspectionPacks.make')) throw forbidden()
    return packJobResult.safeParse(result).data
  }
  const made = kind === makeReportJob.kind ? reportJobResult.safeParse(result).data : undefined
  if (made) requireReport(actor, made.kind, made.reportCode)
  return made
}

/** For the two reports that have no period. */
const withoutPeriod = async (db: Db, actor: Actor): Promise<ReportCall> => {
  const today = await getHomeDay(db)
  return { actor, from: today, to: today }
}

/** 'Ad Hoc Resulted Tests for Reporting'. Requisitions that this user cannot see are named; if there are no others, there is no file. */
export const readAdHoc = async (
  { db, actor, services }: Reading,
  { colaId, reqIds }: { colaId: number; reqIds: readonly number[] },
): Promise<ReadReport & { message: string }> => {
  if (!mayRun(actor, adHocTests([]))) throw forbidden()
  const found = await findRequisitionIds(db, actor, colaId, reqIds)
  const missing = reqIds.filter((id) => !found.includes(id))
  const message = missing.length === 0 ? '' : `Requisition(s) not found: ${missing.join(', ')}`
  if (found.length === 0) throw new AppError('notFound', message)
  const call = await withoutPeriod(db, actor)
  const definition = adHocTests(found)
  return { definition, name: `Resulted Tests ${call.to}`, rows: await readReport(services, definition, call), message }
}

/** 'Client Event Requisitions'. */
export const readEvent = async (
  { db, actor, services }: Reading,
  { clientId, eventId }: { clientId: number; eventId: number },
): Promise<ReadReport> => {
  const event = await findEvent(db, clientId, eventId)
  const definition = eventRequisitions(clientId, eventId)
  const call = await withoutPeriod(db, actor)
  const rows = event ? await readReport(services, definition, call) : []
  if (!event || rows.length === 0) throw notFound('Client Event with requisitions')
  return { definition, name: `Event ${event.name.replace(/[\\/:*?[\]]/g, ' ')}`, rows }
}

/** Stores the rows that were read. */
export const storeDownload = async (context: Download, read: ReadReport): Promise<string> =>
  reportUrl(context.services, await makeFile(context, read))
