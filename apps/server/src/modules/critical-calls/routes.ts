import { criticalCallRoutes } from '@lis/contract/critical-calls.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { callList, listLimits } from './queries.ts'
import { addAttempt, closeCall, createLimit, getCall, removeLimit, takeCall, updateLimit } from './service.ts'

export const criticalCallsModule = implement(criticalCallRoutes, {
  limits: async ({ db, query }) => ({ data: await listLimits(db, query), message: '' }),
  createLimit: async (context) => ({ data: await createLimit(context, context.body), message: messages.created }),
  updateLimit: async (context) => ({
    data: await updateLimit(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  removeLimit: async (context) => {
    await removeLimit(context, context.params.id)
    return { message: messages.deleted }
  },
  list: ({ db, query }) => listPage(db, callList, query),
  one: async ({ db, params }) => ({ data: await getCall(db, params.id), message: '' }),
  take: async (context) => ({
    data: await takeCall(context, context.params.id, context.body.reason),
    message: messages.saved,
  }),
  attempt: async (context) => ({
    data: await addAttempt(context, context.params.id, context.body),
    message: messages.saved,
  }),
  close: async (context) => ({
    data: await closeCall(context, context.params.id, context.body.reason),
    message: messages.saved,
  }),
})
