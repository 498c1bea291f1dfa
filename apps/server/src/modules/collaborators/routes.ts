import { can } from '@lis/contract/access/permissions.ts'
import { collaboratorRoutes } from '@lis/contract/collaborators.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { expectedVersion } from '../../platform/http/version.ts'
import { listPage } from '../../platform/lists.ts'
import { collaboratorList, collaboratorOptionList, rangeList } from './queries.ts'
import { addRanges, removeRanges, updateRange } from './range-service.ts'
import { createCollaborator, getCollaborator, removeCollaborators, updateCollaborator } from './service.ts'

export const collaboratorsModule = implement(collaboratorRoutes, {
  list: ({ db, actor, query }) =>
    listPage(db, can(actor.role, 'collaborators.read') ? collaboratorList : collaboratorOptionList(actor), query),
  one: async ({ db, params }) => ({ data: await getCollaborator(db, params.id), message: '' }),
  create: async (context) => ({ data: await createCollaborator(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await updateCollaborator(context, context.params.id, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  remove: async (context) => {
    await removeCollaborators(context, [context.params.id])
    return { message: messages.deleted }
  },
  removeMany: async (context) => {
    await removeCollaborators(context, context.query.id)
    return { message: messages.deleted }
  },
  removeListed: async (context) => {
    await removeCollaborators(context, context.query.id)
    return { message: messages.deleted }
  },
  ranges: async ({ db, params, query }) => {
    await getCollaborator(db, params.id)
    return listPage(db, rangeList(params.id, query.asOf), query)
  },
  addRanges: async (context) => ({
    data: await addRanges(context, context.params.id, context.body.colaRanges),
    message: messages.created,
  }),
  updateRange: async (context) => ({
    data: await updateRange(context, context.params, context.body, expectedVersion(context.request)),
    message: messages.updated,
  }),
  removeRange: async (context) => {
    await removeRanges(context, context.params.id, [context.params.rangeId])
    return { message: messages.deleted }
  },
  removeRanges: async (context) => {
    await removeRanges(context, context.params.id, context.query.id)
    return { message: messages.deleted }
  },
  removeListedRanges: async (context) => {
    await removeRanges(context, context.params.id, context.query.id)
    return { message: messages.deleted }
  },
})
