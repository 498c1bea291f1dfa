import { messages } from '@lis/contract/messages.ts'
import { smartFilterRoutes } from '@lis/contract/smart-filters.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { smartFilterList } from './queries.ts'
import { createSmartFilter, removeSmartFilter } from './service.ts'

export const smartFiltersModule = implement(smartFilterRoutes, {
  list: ({ db, actor, query }) => listPage(db, smartFilterList(actor.userId), query),
  create: async (context) => ({ data: await createSmartFilter(context, context.body), message: messages.created }),
  remove: async (context) => {
    await removeSmartFilter(context, context.params.id)
    return { message: messages.smartViewDeleted }
  },
})
