import { undoRoutes } from '@lis/contract/undo.ts'
import { call } from './api.ts'
import { events } from './events.ts'
import { queryClient } from './query.ts'
import { needsNotice } from './use-save.ts'

/** Undoes an action, announces the outcome, and reads the data on screen again. */
export const runUndo = async (id: number) => {
  try {
    const { message } = await call(undoRoutes.undo, { params: { id } })
    events.emit('notice', { type: 'success', message })
  } catch (error) {
    if (needsNotice(error)) events.emit('notice', { type: 'warning', message: (error as Error).message, cause: error })
  }
  await queryClient.invalidateQueries()
}
