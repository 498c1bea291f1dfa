import type { DocumentInput } from '@lis/contract/client-records.ts'
import { messages } from '@lis/contract/messages.ts'
import { labQcStatuses, reportRoutes } from '@lis/contract/reports.ts'
import { invalid } from '../../platform/http/errors.ts'
import { type Context, implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { startJob } from '../../platform/jobs/start-job.ts'
import { listPage } from '../../platform/lists.ts'
import { followRelease, withdrawDeliveries } from '../deliveries/service.ts'
import { takeUpload, uploadPlace } from '../documents/service.ts'
import { requireRequisition } from '../requisitions/queries.ts'
import { downloadReports, viewReport } from './downloads.ts'
import { makeReportsJob } from './jobs.ts'
import { correctByMaking, correctByUpload, makeReport, planReports } from './make.ts'
import { reportHistoryOf, reportsOf, reportVersionsOf } from './queries.ts'
import { removeReport } from './remove.ts'
import { fileReport, setLabQc } from './service.ts'

const registered = async (
  context: Context<typeof reportRoutes.add> | Context<typeof reportRoutes.correct>,
  requisitionId: number,
  input: DocumentInput,
) => {
  const place = uploadPlace(requisitionId, 'REPORT')
  const file = await takeUpload(context, context.services.store, place, input)
  return { ...file, originalName: input.originalFileName }
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
  add: async (context) => {
    const { body, params, db, actor } = context
    await requireRequisition(db, actor, params.id)
    const file = await registered(context, params.id, {
      fileName: body.reportFileName,
      originalFileName: body.reportOriginalFileName,
    })
    return { data: await fileReport(context, params.id, file), message: messages.reportUploaded }
  },
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
  setLabQc: async (context) => {
    const { params, body, request } = context
    const { id, version, versionNo, isReleased } = await setLabQc(context, params, body.labQcStatusCode, {
      expected: expectedVersion(request),
    })
    if (body.labQcStatusCode !== 'RELEASE')
      await withdrawDeliveries(context, id, `lab QC is ${labQcStatuses[body.labQcStatusCode]}`)
    if (isReleased) await followRelease(context, { requisitionId: params.reqID, reportId: id, versionNo })
    return { data: { id, version }, message: messages.labQcUpdated }
  },
  correct: async (context) => {
    const { params, body, services, db, actor } = context
    const { correctionReason: reason, version, reportFileName, reportOriginalFileName } = body
    const options = { reason, expected: version ?? null }
    await requireRequisition(db, actor, params.reqID)
    const correct = async () => {
      if (!reportFileName) return correctByMaking(context, services, params, options)
      if (!reportOriginalFileName) throw invalid('reportOriginalFileName', messages.fileMissing)
      const file = await registered(context, params.reqID, {
        fileName: reportFileName,
        originalFileName: reportOriginalFileName,
      })
      return correctByUpload(context, services, params, options, file)
    }
    const data = await correct()
    await withdrawDeliveries(context, data.id, 'the report is being corrected')
    return { data, message: messages.created }
  },
  remove: async (context) => {
    await removeReport(context, context.params, context.body.reason)
    return { message: messages.deleted }
  },
  view: async (context) => ({
    data: { url: await viewReport(context, context.params.id, context.query.versionNo) },
    message: '',
  }),
  download: async (context) => {
    const url = await downloadReports(context, context.services, context.params.id, context.body)
    return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
  },
})
