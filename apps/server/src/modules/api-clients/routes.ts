import { apiClientRoutes } from '@lis/contract/api-clients.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { apiClientList, listChoices } from './queries.ts'
import {
  createApiClient,
  getApiClient,
  removeApiClient,
  revokeApiClient,
  rotateSecret,
  updateApiClient,
} from './service.ts'

export const apiClientsModule = implement(apiClientRoutes, {
  list: ({ db, query }) => listPage(db, apiClientList, query),
  choices: async ({ db }) => ({ data: await listChoices(db), message: '' }),
  one: async ({ db, params }) => ({ data: await getApiClient(db, params.id), message: '' }),
  create: async (context) => ({ data: await createApiClient(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await updateApiClient(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  remove: async (context) => {
    await removeApiClient(context, context.params.id)
    return { message: messages.deleted }
  },
  rotateSecret: async (context) => ({
    data: await rotateSecret(context, context.params.id),
    message: 'The client has a new secret; the old one is no longer valid',
  }),
  revoke: async (context) => {
    await revokeApiClient(context, context.params.id)
    return { message: 'The client has been revoked' }
  },
})
