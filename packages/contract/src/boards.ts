import { z } from 'zod'
import { statusFlow, turnaroundToday } from './home.ts'
import { done, list, one } from './kit/envelope.ts'
import { byId, del, get, post } from './kit/route.ts'
import { required, requiredId } from './validation.ts'

const id = z.number().int()
const time = z.iso.datetime({ offset: true })

const board = z.object({ id, boardName: z.string(), labId: id, labName: z.string(), createdDate: time })
export type Board = z.infer<typeof board>

/** What hangs on the wall: numbers only, nothing of a patient. */
const boardView = z.object({
  boardName: z.string(),
  labName: z.string(),
  labTz: z.string(),
  asOf: time,
  queues: z.array(z.object({ code: z.string(), title: z.string(), count: id, oldestDate: time.nullable() })),
  flow: z.array(statusFlow),
  turnaround: turnaroundToday,
})
export type BoardView = z.infer<typeof boardView>

export const boardRoutes = {
  list: get('boards', { access: 'boards.manage', reply: list(board) }),
  create: post('boards', {
    access: 'boards.manage',
    isReplySecret: true,
    summary: 'The address is in this reply and nowhere else: only the hash of its key is kept',
    body: z.object({ boardName: required('Board Name', 100), labId: requiredId('Laboratory') }),
    reply: one(z.object({ id, url: z.string() })),
  }),
  remove: del('boards/:id', { access: 'boards.manage', params: byId, reply: done }),
  view: get('boards/view/:key', {
    access: 'public',
    isOpenedByKey: true,
    summary: 'The numbers of one laboratory for anyone with the key; it opens nothing else',
    params: z.object({ key: z.string().regex(/^[\w-]{20,100}$/) }),
    reply: one(boardView),
  }),
}
