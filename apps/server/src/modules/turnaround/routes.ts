import { messages } from '@lis/contract/messages.ts'
import { turnaroundRoutes } from '@lis/contract/turnaround.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { targetList } from './queries.ts'
import { createTarget, getCalendar, getTarget, removeTarget, updateCalendar, updateTarget } from './service.ts'

export const turnaroundModule = implement(turnaroundRoutes, {
  list: ({ db, query }) => listPage(db, targetList, query),
  one: async ({ db, params }) => ({ data: await getTarget(db, params.id), message: '' }),
  create: async (context) => ({ data: await createTarget(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await updateTarget(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  remove: async (context) => {
    await removeTarget(context, context.params.id)
    return { message: messages.deleted }
  },
  calendar: async ({ db, params }) => ({ data: await getCalendar(db, params.id), message: '' }),
  updateCalendar: async (context) => ({
    data: await updateCalendar(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
})
