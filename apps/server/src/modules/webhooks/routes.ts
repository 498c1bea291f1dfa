import { messages } from '@lis/contract/messages.ts'
import { webhookRoutes } from '@lis/contract/webhooks.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { deliveryList, webhookList } from './queries.ts'
import { createWebhook, getWebhook, removeWebhook, rotateWebhookSecret, testWebhook, updateWebhook } from './service.ts'

export const webhooksModule = implement(webhookRoutes, {
  list: ({ db, query }) => listPage(db, webhookList, query),
  deliveries: async ({ db, params, query }) => {
    const { id } = await getWebhook(db, params.id)
    return listPage(db, deliveryList(id), query)
  },
  one: async ({ db, params }) => ({ data: await getWebhook(db, params.id), message: '' }),
  create: async (context) => ({ data: await createWebhook(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await updateWebhook(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  remove: async (context) => {
    await removeWebhook(context, context.params.id)
    return { message: messages.deleted }
  },
  rotateSecret: async (context) => ({
    data: await rotateWebhookSecret(context, context.params.id),
    message: 'Both secrets sign for 24 hours',
  }),
  test: async (context) => ({
    data: await testWebhook(context, context.params.id),
    message: 'The test is being sent',
  }),
})
