import { billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { createBatch, listBatchDetails, planBatch } from './batch-service.ts'
import { cancelBatch } from './cancel-service.ts'
import { downloadBatches } from './download.ts'
import { batchList, batchTotals } from './queries.ts'
import { runBilling } from './run-service.ts'
import { sendBatch } from './send-service.ts'

const notDone = (count: number) => (count > 0 ? `, ${count} not done` : '')

export const billingBatchesModule = implement(billingBatchRoutes, {
  list: ({ db, query }) => {
    const finishPage = async (rows: Record<string, unknown>[]) => {
      const totals = await batchTotals(
        db,
        rows.map(({ id }) => id as number),
      )
      return rows.map((row) => ({ ...row, totals: totals.get(row.id as number) ?? [] }))
    }
    return listPage(db, { ...batchList, finishPage }, query)
  },
  details: async ({ db, params, services }) => {
    const data = await listBatchDetails(db, services, params.id)
    return { data, total: data.length, message: data.length === 0 ? messages.batchDetailsMissing : '' }
  },
  plan: async ({ db, services }) => ({ ...(await planBatch(db, services)), message: '' }),
  create: async (context) => {
    const data = await createBatch(context, context.services, context.body)
    const message = `Billing batch ${data.id} created with ${data.moved.length} requisition(s)${notDone(data.refused.length)}`
    return { data, message }
  },
  send: async (context) => {
    const data = await sendBatch(context, context.services, context.params.id)
    const message =
      data.sendStatusCode === 'FAILED'
        ? 'The files of the billing batch could not be stored. Please send it again.'
        : `${data.moved.length} requisition(s) billed${notDone(data.refused.length)}`
    return { data, message }
  },
  cancel: async (context) => {
    const data = await cancelBatch(context, context.params.id, context.body.reason)
    const message = `Billing batch ${context.params.id} cancelled, ${data.moved.length} requisition(s) ready to bill again${notDone(data.refused.length)}`
    return { data, message }
  },
  bulkDownload: (context) => downloadBatches(context, context.services, context.body.billBatchIds),
  detailsDownload: (context) => downloadBatches(context, context.services, [context.params.id]),
  run: async (context) => {
    const data = await runBilling(context, context.body.reqIds, context.body.dryRun)
    return { data, message: `${data.moved.length} requisition(s) ready to bill${notDone(data.refused.length)}` }
  },
})
