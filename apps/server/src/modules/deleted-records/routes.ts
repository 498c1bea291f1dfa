import { deletedRecordRoutes } from '@lis/contract/deleted-records.ts'
import { notFound } from '../../platform/http/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { deletedList } from './queries.ts'
import { type DeletedKind, restoreRecord } from './service.ts'

/** Which kinds there are is said where all modules are known. */
export const deletedRecordsModule = (kinds: readonly DeletedKind[]) => {
  const list = deletedList(kinds)
  return implement(deletedRecordRoutes, {
    list: ({ db, actor, query, services, requestId }) => {
      const shown = new Set<number>()
      const finish = (row: Record<string, unknown>) => {
        if (typeof row.reqId === 'number') shown.add(row.reqId)
        return row
      }
      return listPage(db, { ...list, finish }, query).finally(() => {
        if (shown.size > 0)
          services.accessLog.record({ userId: actor.userId, requestId, action: 'LIST', requisitionIds: [...shown] })
      })
    },
    restore: async (context) => {
      const { kind, id } = context.params
      const found = kinds.find((known) => known.kind === kind)
      if (!found) throw notFound('Record')
      return { message: await restoreRecord(context, found, id) }
    },
  })
}
