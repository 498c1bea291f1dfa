import { messages } from '@lis/contract/messages.ts'
import { type SentSchedule, scheduleRoutes } from '@lis/contract/schedules.ts'
import { implement, prepared } from '../../platform/http/implement.ts'
import { listPage } from '../../platform/lists.ts'
import { markSent, scheduleList } from './queries.ts'
import { readSending, requireSending, storeSending } from './send.ts'
import { changeSchedule, createSchedule, getSchedule, removeSchedule } from './service.ts'

export const schedulesModule = implement(scheduleRoutes, {
  list: ({ db, actor, query }) => listPage(db, scheduleList(actor.userId), query),
  create: async (context) => ({ data: await createSchedule(context, context.body), message: messages.created }),
  update: async (context) => ({
    data: await changeSchedule(context, context.params.id, context.body),
    message: messages.updated,
  }),
  remove: async (context) => {
    await removeSchedule(context, context.params.id)
    return { message: messages.deleted }
  },
  send: prepared(
    async ({ db, actor, params, services }) => {
      const schedule = await getSchedule(db, actor, params.id)
      return { schedule, read: requireSending(await readSending(services, actor.userId, schedule)) }
    },
    async ({ db, actor, requestId, services }, { schedule, read }) => {
      await markSent(db, schedule.id)
      const data = await storeSending({ trx: db, services, by: actor, requestId }, actor.userId, schedule, read)
      return { data, message: sentMessage(data) }
    },
  ),
})

const sentMessage = ({ sent, refused }: SentSchedule) => {
  const message = sent === 1 ? 'Sent to 1 person' : `Sent to ${sent} people`
  return refused.length === 0 ? message : `${message}. Not sent: ${refused.join('; ')}`
}
