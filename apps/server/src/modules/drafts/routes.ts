import { draftRoutes } from '@lis/contract/drafts.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { listDrafts, removeDraft, saveDraft } from './queries.ts'

export const draftsModule = implement(draftRoutes, {
  list: async ({ db, actor, params }) => ({ data: await listDrafts(db, actor.userId, params), message: '' }),
  save: async ({ db, actor, params, body }) => {
    await saveDraft(db, actor.userId, params, body)
    return { message: messages.saved }
  },
  remove: async ({ db, actor, params }) => {
    await removeDraft(db, actor.userId, params)
    return { message: messages.deleted }
  },
})
