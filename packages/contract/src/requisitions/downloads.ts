import { z } from 'zod'
import { download } from '../kit/envelope.ts'
import { post } from '../kit/route.ts'
import { requiredIds } from '../validation.ts'
import { outcome } from './moves.ts'

/** The screen that requested the download; recorded in the history of the reports. */
export const downloadSources = ['RESULT', 'REPORT', 'RELEASE', 'DELIVER', 'VIEW'] as const

export const requisitionDownloadRoutes = {
  bulkDownload: post('requisitions/bulk_download', {
    isReportApi: true,
    // The row scope decides which reports; only released ones are included.
    access: 'reports.download',
    patientData: true,
    summary:
      'The released reports of these requisitions in one ZIP file; with dryRun no file is created and the reply says what it would contain',
    body: z.object({
      reqIds: requiredIds('Requisition'),
      callSource: z.enum(downloadSources),
      dryRun: z.boolean().default(false),
    }),
    reply: download.extend({
      data: outcome.extend({ url: z.string().nullable(), exportUrl: z.string().nullable() }),
    }),
    makesFile: true,
  }),
}
