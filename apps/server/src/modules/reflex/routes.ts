import { messages } from '@lis/contract/messages.ts'
import { reflexRoutes } from '@lis/contract/reflex.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { createRule, getAgreed, getRule, listRules, removeRule, saveAgreed, switchRule, updateRule } from './service.ts'
import { tryRule } from './try-rule.ts'

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
  tryRule: async ({ db, params, body }) => ({
    data: await tryRule(db, await getRule(db, params.id), body),
    message: '',
  }),
  switchRule: async (context) => ({
    data: await switchRule(context, context.params.id, context.body),
    message: messages.saved,
  }),
  agreed: async ({ db, params }) => ({ data: await getAgreed(db, params.id), message: '' }),
  saveAgreed: async (context) => {
    const { db, params, body } = context
    const { ruleIds } = body
    const data = await (ruleIds === undefined ? getAgreed(db, params.id) : saveAgreed(context, params.id, ruleIds))
    return { data, message: messages.saved }
  },
})
