import { type BillingBatch, batchIds, billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { useCallback } from 'react'
import { call } from '../../lib/api.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { downloadFailure, downloadOutcome } from '../../ui/list-page/download-outcome.ts'
import { finishDownload } from '../../ui/list-page/export-all.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { isCancelled } from '../../ui/table/read-list.ts'

/** Downloads one batch, or the selected ones, and reports an invalid selection. */
export const useBatchDownload = () => {
  const notify = useNotify()
  const [isBusy, whileBusy] = useBusy()
  const fetch = useCallback(
    async (ask: () => Promise<unknown>) => {
      await whileBusy(
        async () => {
          finishDownload(downloadOutcome(await ask()))
        },
        (error) => {
          if (!isCancelled(error)) finishDownload(downloadFailure(error))
        },
      )
    },
    [whileBusy],
  )
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
