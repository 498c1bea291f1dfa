import { type BatchDetail, billingBatchRoutes } from '@lis/contract/billing-batches.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement, type WriteCall } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import type { Services } from '../../platform/services.ts'
import { batchDetails, createBatch, planBatch, sendBatch } from './batch-service.ts'
import { cancelBatch } from './cancel-service.ts'
import { downloadBatches } from './download.ts'
import { batchList, batchTotals } from './queries.ts'
import { runBilling } from './run-service.ts'

type Reading = Pick<WriteCall, 'actor' | 'requestId'> & { services: Services }

/** Whose names a person was shown is on record, as with every list of requisitions. */
const noteReading = ({ services, actor, requestId }: Reading, rows: readonly BatchDetail[]) =>
  rows.length > 0 &&
  services.accessLog.record({
    userId: actor.userId,
    requestId,
    action: 'LIST',
    requisitionIds: rows.map(({ reqId }) => reqId),
  })

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
  details: async (context) => {
    const { db, params, services } = context
    const data = await batchDetails(db, services, params.id)
    noteReading(context, data)
    return { data, total: data.length, message: data.length === 0 ? messages.batchDetailsMissing : '' }
  },
  plan: async (context) => {
    const plan = await planBatch(context.db, context.services)
    noteReading(context, plan.data)
    return { ...plan, message: '' }
  },
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
