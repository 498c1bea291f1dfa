import { requisitionDownloadRoutes } from '@lis/contract/requisitions/downloads.ts'
import { call } from '../../lib/api.ts'
import { downloadFailure, downloadOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { isCancelled } from '../../ui/table/read-list.ts'

/** The released reports of these requisitions: one as it is, several as a ZIP. */
export const downloadReports = async (reqIds: number[]) => {
  try {
    finishDownload(
      downloadOutcome(await call(requisitionDownloadRoutes.bulkDownload, { body: { reqIds, callSource: 'VIEW' } })),
    )
  } catch (error) {
    if (!isCancelled(error)) finishDownload(downloadFailure(error))
  }
}
