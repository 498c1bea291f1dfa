import { messages } from '@lis/contract/messages.ts'
import { reflexRoutes } from '@lis/contract/reflex.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { createRule, getAgreed, listRules, removeRule, saveAgreed, switchRule, tryRule, updateRule } from './service.ts'

export const reflexModule = implement(reflexRoutes, {
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
  tryRule: async ({ db, params, body }) => ({ data: await tryRule(db, params.id, body), message: '' }),
  switchRule: async (context) => ({
    data: await switchRule(context, context.params.id, context.body),
    message: messages.saved,
  }),
  agreed: async ({ db, params }) => ({ data: await getAgreed(db, params.id), message: '' }),
  saveAgreed: async (context) => ({
    data: await saveAgreed(context, context.params.id, context.body.ruleIds),
    message: messages.saved,
  }),
})
