import { messages } from '@lis/contract/messages.ts'
import { smartFilterRoutes } from '@lis/contract/smart-filters.ts'
import { implement } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { smartFilterList } from './queries.ts'
import {
  changeSmartFilter,
  chooseSmartFilter,
  createSmartFilter,
  listSmartFilterReceivers,
  removeSmartFilter,
  shareSmartFilter,
} from './service.ts'

export const smartFiltersModule = implement(smartFilterRoutes, {
  list: ({ db, actor, query }) => listPage(db, smartFilterList(actor), query),
  receivers: async ({ db, actor }) => ({ data: await listSmartFilterReceivers(db, actor), message: '' }),
  create: async (context) => ({ data: await createSmartFilter(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await changeSmartFilter(context, context.params.id, context.body),
    message: messages.updated,
  }),
  share: async (context) => ({
    data: await shareSmartFilter(context, context.params.id, context.body),
    message: messages.saved,
  }),
  choose: async (context) => ({
    data: await chooseSmartFilter(context, context.params.id, context.body),
    message: messages.saved,
  }),
  remove: async (context) => {
    await removeSmartFilter(context, context.params.id)
    return { message: messages.smartViewDeleted }
  },
})
