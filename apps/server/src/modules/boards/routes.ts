import { boardRoutes } from '@lis/contract/boards.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement } from '../../platform/http/implement.ts'
import { createBoard, listBoards, readBoard, removeBoard } from './service.ts'

export const boardsModule = implement(boardRoutes, {
  list: async ({ db }) => ({ data: await listBoards(db), message: '' }),
  create: async (context) => ({
    data: await createBoard(context, context.services.config.publicUrl, context.body),
    message: messages.created,
  }),
  remove: async (context) => {
    await removeBoard(context, context.params.id)
    return { message: messages.deleted }
  },
  view: async ({ services, params }) => ({ data: await readBoard(services, params.key), message: '' }),
})
