import { requisitionDownloadRoutes } from '@lis/contract/requisitions/downloads.ts'
import { implement } from '../../platform/http/implement.ts'
import { downloadReports } from './bulk-download.ts'

export const requisitionDownloadModule = implement(requisitionDownloadRoutes, {
  bulkDownload: ({ db, actor, body, requestId, services }) =>
    downloadReports({ trx: db, actor, requestId, services }, body.reqIds, body.callSource),
})
