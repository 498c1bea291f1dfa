import { type BillingBatch, batchIds, billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { useCallback, useState } from 'react'
import { call } from '../../lib/api.ts'
import { downloadFailure, downloadOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { isCancelled } from '../../ui/table/read-list.ts'

/** Fetches one batch, or those that are ticked, and says what is wrong with the choice. */
export const useBatchDownload = () => {
  const notify = useNotify()
  const [isBusy, setBusy] = useState(false)
  const fetch = useCallback(async (ask: () => Promise<unknown>) => {
    setBusy(true)
    try {
      finishDownload(downloadOutcome(await ask()))
    } catch (error) {
      if (!isCancelled(error)) finishDownload(downloadFailure(error))
    } finally {
      setBusy(false)
    }
  }, [])
  const one = useCallback(
    (id: number) => fetch(() => call(billingBatchRoutes.detailsDownload, { params: { id } })),
    [fetch],
  )
  const many = (rows: readonly Pick<BillingBatch, 'id'>[]) => {
    const chosen = batchIds.safeParse(rows.map(({ id }) => id))
    if (!chosen.success) return notify.error(chosen.error.issues[0]?.message)
    void fetch(() => call(billingBatchRoutes.bulkDownload, { body: { billBatchIds: chosen.data } }))
  }
  return { isBusy, one, many }
}
