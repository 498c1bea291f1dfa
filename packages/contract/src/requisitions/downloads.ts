import { z } from 'zod'
import { download } from '../kit/envelope.ts'
import { post } from '../kit/route.ts'
import { requiredIds } from '../validation.ts'
import { outcome } from './moves.ts'

/** Where the download was asked for; kept in the history of the reports. */
export const downloadSources = ['RESULT', 'REPORT', 'RELEASE', 'DELIVER', 'VIEW'] as const

export const requisitionDownloadRoutes = {
  bulkDownload: post('requisitions/bulk_download', {
    isReportApi: true,
    // Whoever may have reports at all; the row scope decides which, and only released ones leave the house.
    access: 'reports.download',
    patientData: true,
    summary:
      'The released reports of these requisitions in one ZIP file; with dryRun there is no file, only what would be in it',
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
