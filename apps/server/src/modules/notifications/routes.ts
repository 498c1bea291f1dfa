import { messages } from '@lis/contract/messages.ts'
import { notificationRoutes } from '@lis/contract/notifications.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { isRequisitionVisible, listNotifications, markAllRead, markRead } from './queries.ts'

/** The notifications of another user are not found. */
const requireOwn = (actor: Actor, userId: number) => {
  if (actor.userId !== userId) throw notFound('User')
}

export const notificationsModule = implement(notificationRoutes, {
  list: async ({ db, actor, params }) => {
    requireOwn(actor, params.userId)
    return { data: await listNotifications(db, actor), message: '' }
  },
  readAll: async ({ db, actor, params }) => {
    requireOwn(actor, params.userId)
    await markAllRead(db, actor)
    return { message: messages.updated }
  },
  read: async ({ db, actor, params }) => {
    requireOwn(actor, params.userId)
    if (!(await isRequisitionVisible(db, actor, params.reqId))) throw notFound('Requisition')
    await markRead(db, actor, params.reqId)
    return { message: messages.updated }
  },
})
