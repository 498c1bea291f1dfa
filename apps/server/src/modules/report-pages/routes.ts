import { qualityMonthRoutes } from '@lis/contract/quality-month.ts'
import {
  insightRoutes,
  inspectionPackRoutes,
  miscReportRoutes,
  qaReportRoutes,
  summaryReportRoutes,
} from '@lis/contract/reports-pages.ts'
import { implement, prepared } from '../../platform/http/implement.ts'
import { readInsights } from './insights.ts'
import { orderPack } from './inspection/job.ts'
import { printQualityMonth } from './quality-month/make.ts'
import {
  downloadReport,
  getReportOfJob,
  listOwnReports,
  previewReport,
  readAdHoc,
  readDownload,
  readEvent,
  storeDownload,
} from './service.ts'

export const qaReportsModule = implement(qaReportRoutes, {
  list: async ({ db, actor }) => ({ data: await listOwnReports(db, actor, 'QA'), message: '' }),
  preview: async (context) => ({ data: await previewReport(context, 'QA', context.query), message: '' }),
  download: prepared(
    (context) => readDownload(context, 'QA', context.body),
    async (context, read) => ({ data: await downloadReport(context, 'QA', context.body, read), message: '' }),
  ),
})

export const summaryReportsModule = implement(summaryReportRoutes, {
  list: async ({ db, actor }) => ({ data: await listOwnReports(db, actor, 'SUMMARY'), message: '' }),
  preview: async (context) => ({ data: await previewReport(context, 'SUMMARY', context.query), message: '' }),
  download: prepared(
    (context) => readDownload(context, 'SUMMARY', context.body),
    async (context, read) => ({ data: await downloadReport(context, 'SUMMARY', context.body, read), message: '' }),
  ),
})

export const miscReportsModule = implement(miscReportRoutes, {
  adHoc: prepared(
    (context) => readAdHoc(context, context.body),
    async (context, { message, ...read }) => ({
      data: { url: await storeDownload(context, read), jobId: null },
      message,
    }),
  ),
  events: prepared(
    (context) => readEvent(context, context.body),
    async (context, read) => ({ data: { url: await storeDownload(context, read), jobId: null }, message: '' }),
  ),
  made: async (context) => ({ data: { url: await getReportOfJob(context, context.params.id) }, message: '' }),
})

export const inspectionPacksModule = implement(inspectionPackRoutes, {
  make: async (context) => ({ data: await orderPack(context, context.body), message: '' }),
})

export const qualityMonthModule = implement(qualityMonthRoutes, {
  print: async (context) => {
    const url = await printQualityMonth(context, context.services, context.body)
    return { retval: 'SUCCESS' as const, data: { url, exportUrl: url }, message: '' }
  },
})

export const insightsModule = implement(insightRoutes, {
  list: async (context) => ({ data: await readInsights(context, context.query), message: '' }),
})
