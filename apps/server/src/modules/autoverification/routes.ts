import { autoverificationRoutes } from '@lis/contract/autoverification.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { createRule, getRule, getState, listRules, removeRule, setStopped, switchRule, updateRule } from './service.ts'
import { tryRule } from './try-rule.ts'

export const autoverificationModule = implement(autoverificationRoutes, {
  rules: async ({ db, query }) => ({ data: await listRules(db, query), message: '' }),
  createRule: async (context) => ({ data: await createRule(context, context.body), message: messages.created }),
  updateRule: async (context) => ({
    data: await updateRule(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  removeRule: async (context) => {
    await removeRule(context, context.params.id)
    return { message: messages.deleted }
  },
  tryRule: async ({ db, params, body }) => ({
    data: await tryRule(db, await getRule(db, params.id), body),
    message: '',
  }),
  switchRule: async (context) => ({
    data: await switchRule(context, context.params.id, context.body),
    message: messages.saved,
  }),
  state: async ({ db }) => ({ data: await getState(db), message: '' }),
  stop: async (context) => ({ data: await setStopped(context, true, context.body.reason), message: messages.saved }),
  start: async (context) => ({ data: await setStopped(context, false, context.body.reason), message: messages.saved }),
})
