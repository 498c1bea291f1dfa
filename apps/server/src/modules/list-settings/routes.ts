import { type ListSettingsInput, listSettingsRoutes } from '@lis/contract/list-settings.ts'
import { messages } from '@lis/contract/messages.ts'
import { implement, type WriteCall } from '../../platform/http/implement.ts'
import { listDefaultViews } from '../smart-filters/queries.ts'
import { getListSettings, listSettings, resetListSettings, saveListSettings } from './service.ts'

const save = async (call: WriteCall, screen: string, body: ListSettingsInput) => {
  const data = await saveListSettings(call, screen, body)
  const dropped = data.dropped.length > 0 ? `. This list does not have: ${data.dropped.join(', ')}` : ''
  return { data, message: `${messages.saved}${dropped}` }
}

const reset = async (call: WriteCall, screen: string) => {
  await resetListSettings(call, screen)
  return { message: messages.saved }
}

export const listSettingsModule = implement(listSettingsRoutes, {
  all: async ({ db, actor }) => ({
    data: await listSettings(db, actor.userId),
    defaultViews: await listDefaultViews(db, actor),
    message: '',
  }),
  one: async ({ db, actor, params }) => ({ data: await getListSettings(db, actor.userId, params.screen), message: '' }),
  save: (context) => save(context, context.params.screen, context.body),
  reset: (context) => reset(context, context.params.screen),
  oneTab: async ({ db, actor, params }) => ({
    data: await getListSettings(db, actor.userId, `${params.resource}/${params.tab}`),
    message: '',
  }),
  saveTab: (context) => save(context, `${context.params.resource}/${context.params.tab}`, context.body),
  resetTab: (context) => reset(context, `${context.params.resource}/${context.params.tab}`),
})
