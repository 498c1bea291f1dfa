import { undoRoutes } from '@lis/contract/undo.ts'
import { implement } from '../../platform/http/implement.ts'
import { listActions, type UndoKind, undoAction } from './service.ts'

/** The kinds are passed in, from where all modules are known. */
export const undoModule = (kinds: readonly UndoKind[]) =>
  implement(undoRoutes, {
    list: async ({ db, actor, services }) => ({
      data: await listActions(db, actor, kinds, services.config.UNDO_SECONDS),
      message: '',
    }),
    undo: async (context) => {
      const { description, ...data } = await undoAction(context, kinds, context.params.id)
      return { data, message: `Undone: ${description}` }
    },
  })
