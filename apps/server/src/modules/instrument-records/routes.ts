import { instrumentRoutes } from '@lis/contract/instruments.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { instrumentList } from './queries.ts'
import { createInstrument, getInstrument, removeInstrument, updateInstrument } from './service.ts'

export const instrumentsModule = implement(instrumentRoutes, {
  list: ({ db, query }) => listPage(db, instrumentList, query),
  one: async ({ db, params }) => ({ data: await getInstrument(db, params.id), message: '' }),
  create: async (context) => ({ data: await createInstrument(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await updateInstrument(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  remove: async (context) => {
    await removeInstrument(context, context.params.id)
    return { message: messages.deleted }
  },
})
