import { messages } from '@lis/contract/messages.ts'
import { viewAlertRoutes } from '@lis/contract/view-alerts.ts'
import { notFound } from '../../platform/errors.ts'
import { implement } from '../../platform/http/implement.ts'
import { endAlert, findAlert, listAlertNotices, markAlertRead, setAlert } from './service.ts'

const requireOwn = (actor: { userId: number }, userId: number) => {
  if (userId !== actor.userId) throw notFound('User')
}

export const viewAlertsModule = implement(viewAlertRoutes, {
  read: async ({ db, actor, params }) => ({ data: await findAlert(db, actor, params.id), message: '' }),
  set: async (context) => {
    await setAlert(context, context.params.id, context.body)
    return { message: messages.saved }
  },
  end: async (context) => {
    await endAlert(context, context.params.id)
    return { message: messages.deleted }
  },
  list: async ({ db, actor, params }) => {
    requireOwn(actor, params.userId)
    return { data: await listAlertNotices(db, actor), message: '' }
  },
  markRead: async ({ db, actor, params }) => {
    requireOwn(actor, params.userId)
    await markAlertRead(db, actor, params.id)
    return { message: messages.updated }
  },
})
