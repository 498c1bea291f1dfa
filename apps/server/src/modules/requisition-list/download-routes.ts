import { requisitionDownloadRoutes } from '@lis/contract/requisitions/downloads.ts'
import { implement } from '../../platform/http/implement.ts'
import { downloadReports, planDownload } from './bulk-download.ts'

export const requisitionDownloadModule = implement(requisitionDownloadRoutes, {
  bulkDownload: ({ db, actor, body, requestId, services }) =>
    body.dryRun
      ? planDownload({ trx: db, actor }, body.reqIds)
      : downloadReports({ trx: db, actor, requestId, services }, body.reqIds, body.callSource),
})
