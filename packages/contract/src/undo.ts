import { z } from 'zod'
import { list, one } from './kit/envelope.ts'
import { byId, get, post } from './kit/route.ts'

const id = z.number().int()
const time = z.iso.datetime({ offset: true })

/** Something that its user may undo for a while. */
const undoAction = z.object({
  id,
  description: z.string(),
  /** How many records it concerned. */
  count: id,
  createDate: time,
  expiresAt: time,
  canUndo: z.boolean(),
  /** Why it cannot be undone. */
  reason: z.string().nullable(),
})
export type UndoAction = z.infer<typeof undoAction>

export const undoRoutes = {
  list: get('undo_actions', {
    access: 'profile.own',
    summary: "The caller's own actions that can be undone, or could have been, the newest first",
    reply: list(undoAction),
  }),
  undo: post('undo_actions/:id/undo', {
    access: 'profile.own',
    summary: 'Undoes all of it or nothing; by the person who did it, ADM and MGMT',
    params: byId,
    reply: one(z.object({ id, count: id })),
  }),
}
