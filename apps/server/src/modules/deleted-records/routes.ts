import { deletedRecordRoutes } from '@lis/contract/deleted-records.ts'
import { notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { deletedList } from './queries.ts'
import { type DeletedKind, restoreRecord } from './service.ts'

/** The kinds are passed in, from where all modules are known. */
export const deletedRecordsModule = (kinds: readonly DeletedKind[]) => {
  const list = deletedList(kinds)
  return implement(deletedRecordRoutes, {
    list: ({ db, query }) => listPage(db, list, query),
    restore: async (context) => {
      const { kind, id } = context.params
      const found = kinds.find((known) => known.kind === kind)
      if (!found) throw notFound('Record')
      return { message: await restoreRecord(context, found, id) }
    },
  })
}
