import { z } from 'zod'
import { done, list, one } from './kit/envelope.ts'
import { byId, del, get, idParam, post, put } from './kit/route.ts'
import { messages } from './messages.ts'

export const alertKinds = {
  NOT_EMPTY: 'Not empty',
  MORE_THAN: 'More rows than',
  OLDER_THAN: 'A row older than (hours)',
} as const
export const alertChannels = { BELL: 'Notifications', MAIL: 'Mail' } as const

const valueRule = 'Value must be a whole number from 0 to 100000'
const viewAlert = z.object({
  alertKind: z.enum(['NOT_EMPTY', 'MORE_THAN', 'OLDER_THAN'], { error: messages.invalid('Alert') }),
  /** A number of rows, or hours for OLDER_THAN. */
  alertValue: z
    .number({ error: valueRule })
    .int(valueRule)
    .min(0, valueRule)
    .max(100_000, valueRule)
    .nullish()
    .transform((value) => value ?? null),
  channels: z
    .array(z.enum(['BELL', 'MAIL'], { error: messages.invalid('Channel') }), { error: messages.required('Channel') })
    .min(1, messages.required('Channel'))
    .transform((channels) => [...new Set(channels)]),
})
const alertInput = viewAlert.refine(({ alertKind, alertValue }) => alertKind === 'NOT_EMPTY' || alertValue !== null, {
  path: ['alertValue'],
  message: messages.required('Value'),
})
export type ViewAlert = z.infer<typeof viewAlert>

const alertNotice = z.object({
  id: z.number().int(),
  smartFilterId: z.number().int(),
  smartName: z.string(),
  alertDate: z.iso.datetime({ offset: true }),
  count: z.number().int(),
  link: z.string(),
  isRead: z.union([z.literal(0), z.literal(1)]),
})
export type AlertNotice = z.infer<typeof alertNotice>

const ofUser = z.object({ userId: idParam })

export const viewAlertRoutes = {
  read: get('smart_filters/:id/alert', {
    access: 'smartFilter.own',
    summary: "The caller's own alert on a view; null without one",
    params: byId,
    reply: one(viewAlert.nullable()),
  }),
  set: put('smart_filters/:id/alert', {
    access: 'smartFilter.own',
    summary: 'Tells the caller when the view of requisitions meets the condition, at most once an hour',
    params: byId,
    body: alertInput,
    reply: done,
  }),
  end: del('smart_filters/:id/alert', { access: 'smartFilter.own', params: byId, reply: done }),
  list: get('users/:userId/alerts', {
    access: 'smartFilter.own',
    summary: "The caller's own alerts of the last 30 days, the latest first",
    params: ofUser,
    reply: list(alertNotice),
  }),
  markRead: post('users/:userId/alerts/:id/read', {
    access: 'smartFilter.own',
    params: z.object({ userId: idParam, id: idParam }),
    reply: done,
  }),
}
