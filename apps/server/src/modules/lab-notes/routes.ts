import { labNoteRoutes } from '@lis/contract/lab-notes.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { requireRequisition } from '../requisition-record/queries.ts'
import { listLabNoteHistory, listLabNotes } from './queries.ts'
import { addLabNote } from './service.ts'

export const labNotesModule = implement(labNoteRoutes, {
  list: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await listLabNotes(db, params.id), message: '' }
  },
  create: async (context) => ({
    data: await addLabNote(context, context.params.id, context.body),
    message: messages.created,
  }),
  histories: async ({ db, actor, params }) => {
    await requireRequisition(db, actor, params.id)
    return { data: await listLabNoteHistory(db, params.id), message: '' }
  },
})
