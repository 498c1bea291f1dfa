import { messages } from '@lis/contract/messages.ts'
import { notificationRoutes } from '@lis/contract/notifications.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import { notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { listNotifications, markAllRead } from './queries.ts'
import { readNotification } from './service.ts'

/** Somebody else's notifications do not exist. */
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
  read: async (context) => {
    requireOwn(context.actor, context.params.userId)
    await readNotification(context, context.params.reqId)
    return { message: messages.updated }
  },
})
