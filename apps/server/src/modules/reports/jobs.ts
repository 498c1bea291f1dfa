import type { CreatedReports } from '@lis/contract/reports.ts'
import { requireRequester } from '../../platform/auth/requester.ts'
import { AppError } from '../../platform/errors.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import { makeReport } from './make.ts'

/** Makes reports for many requisitions, one transaction each; after a crash it continues with those that have none from this job. */
export const makeReportsJob = defineJob<{ reqIds: number[] }>({
  kind: 'reports.make',
  maxSeconds: 3600,
  run: async ({ id: jobId, services, userId, progress }, { reqIds }): Promise<CreatedReports> => {
    const actor = await requireRequester(services, userId, 'reports.edit')
    const db = services.databases(actor.scope)
    let made = 0
    const failed: CreatedReports['failed'] = []
    for (const [index, reqId] of reqIds.entries()) {
      await progress(index, reqIds.length)
      try {
        made += await db.transaction().execute(async (trx) => {
          // A second run of this job finds this key and skips the requisition.
          const { numInsertedOrUpdatedRows } = await trx
            .insertInto('idempotency_key')
            .values({
              user_id: actor.userId,
              key: `${jobId}:${reqId}`,
              route: 'job reports.make',
              request_hash: Buffer.alloc(0),
            })
            .onConflict((oc) => oc.columns(['user_id', 'key']).doNothing())
            .executeTakeFirst()
          if (!numInsertedOrUpdatedRows) return 0
          await makeReport({ db: trx, actor, requestId: jobId }, services, reqId)
          return 1
        })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        failed.push({ id: reqId, reason: error.message })
      }
    }
    return { made, failed }
  },
})
