import { messages } from '@lis/contract/messages.ts'
import { labQcStatuses, reportRoutes } from '@lis/contract/reports.ts'
import { announce } from '../../platform/domain-events.ts'
import { conflict, invalid } from '../../platform/errors.ts'
import { implement, prepared, type ReadContext } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { listPage } from '../../platform/lists.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { correctByUpload, correctFromResults } from './corrections.ts'
import { downloadReports, prepareDownload, viewReport } from './downloads.ts'
import { makeReportsJob } from './jobs.ts'
import { makeReport, planReports } from './make.ts'
import { findReportFiles, reportHistoryOf, reportsOf, reportVersionsOf } from './queries.ts'
import { planReleases, releaseMany } from './release-many.ts'
import { removeReport } from './remove.ts'
import { fileReport, setLabQc } from './service.ts'
import { acceptUpload, readUpload } from './uploads.ts'

/** The stored file must be unchanged at its release. */
const requireFileToRelease = async ({ db, services, params, body }: ReadContext<typeof reportRoutes.setLabQc>) => {
  const [file] = body.labQcStatusCode === 'RELEASE' ? await findReportFiles(db, [params.reportID]) : []
  if (file) await services.store.verify(file.object_key, file.sha256)
}

export const reportsModule = implement(reportRoutes, {
  list: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, reportsOf(params.id, actor.role), query)
  },
  histories: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, reportHistoryOf(params.id, actor.role), query)
  },
  versions: async ({ db, actor, params, query }) => {
    await requireRequisition(db, actor, params.id)
    return listPage(db, reportVersionsOf(params.id, actor.role), query)
  },
  add: prepared(
    ({ db, actor, services, params, body }) =>
      readUpload({ db, actor }, services.store, params.id, {
        fileName: body.reportFileName,
        originalFileName: body.reportOriginalFileName,
      }),
    async (context, upload) => {
      const { services, params, body } = context
      const file = await acceptUpload(context, services.store, params.id, upload, body.decision)
      return {
        data: await fileReport(context, params.id, file, { guardOverride: file.guardOverride }),
        message: messages.reportUploaded,
      }
    },
  ),
  make: async (context) => ({
    data: await makeReport(context, context.services, context.params.id, context.questions),
    message: messages.created,
  }),
  makeMany: async (context) => {
    const { db, body, actor } = context
    const data = await planReports(context, body.reqIds)
    if (body.dryRun || data.moved.length === 0) return { data: { ...data, jobId: null }, message: '' }
    const { id: jobId } = await startJob(db, makeReportsJob, { reqIds: data.moved }, { userId: actor.userId })
    const rest = data.refused.length > 0 ? `, ${data.refused.length} not done` : ''
    return {
      data: { ...data, jobId },
      message: `Reports are being made for ${data.moved.length} requisition(s)${rest}`,
    }
  },
  releaseMany: async (context) => {
    const { db, body, services } = context
    const { reports, isSignatureMissing, ...data } = await planReleases(db, body.reqIds)
    if (!body.dryRun && reports.length === 0 && isSignatureMissing) {
      const reason = data.refused.map((one) => `${one.label}: ${one.reason}`).join('. ')
      throw conflict(reason, { reason, refused: data.refused })
    }
    if (body.dryRun || reports.length === 0) return { data, message: '' }
    for (const file of await findReportFiles(
      db,
      reports.map(({ id }) => id),
    ))
      await services.store.verify(file.object_key, file.sha256)
    await releaseMany(context, services, reports)
    const rest = data.refused.length > 0 ? `, ${data.refused.length} not done` : ''
    return { data, message: `Released the reports of ${data.moved.length} requisition(s)${rest}` }
  },
  setLabQc: prepared(requireFileToRelease, async (context) => {
    const { params, body, request, services } = context
    const { id, version, versionNo, isReleased } = await setLabQc(context, params, body.labQcStatusCode, {
      tools: services,
      expected: expectedVersion(request),
    })
    if (body.labQcStatusCode !== 'RELEASE')
      await announce(context, 'reportHeld', {
        reportId: id,
        why: `lab QC is ${labQcStatuses[body.labQcStatusCode]}`,
      })
    if (isReleased) await announce(context, 'reportReleased', { requisitionId: params.reqID, reportId: id, versionNo })
    return { data: { id, version }, message: messages.labQcUpdated }
  }),
  correct: prepared(
    async ({ db, actor, services, params, body }) => {
      const { reportFileName: fileName, reportOriginalFileName: originalFileName } = body
      if (!fileName) return null
      if (!originalFileName) throw invalid('reportOriginalFileName', messages.fileMissing)
      return readUpload({ db, actor }, services.store, params.reqID, { fileName, originalFileName })
    },
    async (context, upload) => {
      const { params, body, services, db, actor } = context
      const options = { reason: body.correctionReason, expected: body.version ?? null }
      await requireRequisition(db, actor, params.reqID)
      const correct = async () => {
        if (!upload) return correctFromResults(context, services, params, options)
        const file = await acceptUpload(context, services.store, params.reqID, upload, body.decision)
        return correctByUpload(context, services, params, options, file)
      }
      const data = await correct()
      await announce(context, 'reportHeld', { reportId: data.id, why: 'the report is being corrected' })
      return { data, message: messages.created }
    },
  ),
  remove: async (context) => {
    await removeReport(context, context.params, context.body.reason)
    return { message: messages.deleted }
  },
  view: async (context) => ({
    data: { url: await viewReport(context, context.params.id, context.query.versionNo) },
    message: '',
  }),
  download: prepared(
    ({ db, actor, services, params, body }) => prepareDownload({ db, actor, services }, params.id, body),
    async (context, served) => {
      const url = await downloadReports(context, context.services, context.params.id, context.body, served)
      return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
    },
  ),
})
