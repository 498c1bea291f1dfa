import { miscReportRoutes, qaReportRoutes, summaryReportRoutes } from '@lis/contract/reports-pages.ts'
import { implement } from '../../platform/http/implement.ts'
import {
  downloadAdHoc,
  downloadEvent,
  downloadReport,
  getReportOfJob,
  listOwnReports,
  previewReport,
} from './service.ts'

export const qaReportsModule = implement(qaReportRoutes, {
  list: async ({ db, actor }) => ({ data: await listOwnReports(db, actor, 'QA'), message: '' }),
  preview: async (context) => ({ data: await previewReport(context, 'QA', context.query), message: '' }),
  download: async (context) => ({ data: await downloadReport(context, 'QA', context.body), message: '' }),
})

export const summaryReportsModule = implement(summaryReportRoutes, {
  list: async ({ db, actor }) => ({ data: await listOwnReports(db, actor, 'SUMMARY'), message: '' }),
  preview: async (context) => ({ data: await previewReport(context, 'SUMMARY', context.query), message: '' }),
  download: async (context) => ({ data: await downloadReport(context, 'SUMMARY', context.body), message: '' }),
})

export const miscReportsModule = implement(miscReportRoutes, {
  adHoc: async (context) => {
    const { url, message } = await downloadAdHoc(context, context.body)
    return { data: { url, jobId: null }, message }
  },
  events: async (context) => ({ data: { url: await downloadEvent(context, context.body), jobId: null }, message: '' }),
  made: async (context) => ({ data: { url: await getReportOfJob(context, context.params.id) }, message: '' }),
})
