import { labRoutes } from '@lis/contract/labs.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { signerList } from './queries.ts'
import { addSigner, createLab, endSigner, getLab, updateLab } from './service.ts'

export const labsModule = implement(labRoutes, {
  create: async (context) => ({ data: await createLab(context, context.body), message: messages.created }),
  one: async ({ db, params, query }) => ({ data: await getLab(db, params.id, query.asOf), message: '' }),
  update: async (context) => ({
    data: await updateLab(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  signers: async ({ db, params, query }) => {
    await getLab(db, params.id)
    return listPage(db, signerList(params.id), query)
  },
  addSigner: async (context) => ({
    data: await addSigner(context, context.params.id, context.body),
    message: messages.created,
  }),
  endSigner: async (context) => ({
    data: await endSigner(context, context.params, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
})
