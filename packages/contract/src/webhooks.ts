import { z } from 'zod'
import { messageStates } from './interfaces.ts'
import { done, one, page } from './kit/envelope.ts'
import { listQuery } from './kit/list-query.ts'
import { byId, del, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { updateFields } from './partial-input.ts'
import { flag01, optionalId, required } from './validation.ts'

export const webhookLabels = {
  name: 'Name',
  url: 'Address',
  events: 'Events',
  clientId: 'Client',
  colaId: 'Collaborator',
  isActive: 'Active',
} as const
const label = webhookLabels

export const webhookEvents = [
  'order.accepted',
  'order.held',
  'requisition.status',
  'report.released',
  'report.corrected',
  'critical.called',
] as const

const events = z
  .array(z.enum(webhookEvents, { error: messages.invalid(label.events) }), { error: messages.required(label.events) })
  .min(1, messages.required(label.events))
  .transform((all) => [...new Set(all)])

const shape = {
  name: required(label.name, 100),
  url: required(label.url, 500),
  events,
  clientId: optionalId(label.clientId),
  colaId: optionalId(label.colaId),
  isActive: flag01.default(1),
}
export const webhookInput = z.object(shape)
export type WebhookInput = z.infer<typeof webhookInput>

/** PUT changes only the fields that are sent. */
export const webhookUpdate = z.object(updateFields(shape))
export type WebhookUpdate = z.infer<typeof webhookUpdate>

const id = z.number().int()
const text = z.string().nullable()

const webhook = z.object({
  id,
  name: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  clientId: id.nullable(),
  clientName: text,
  colaId: id.nullable(),
  colaName: text,
  isActive: flag01,
  /** Events that wait to be sent. */
  waitingCount: id,
  lastSentDate: z.iso.datetime({ offset: true }).nullable(),
  createDate: z.iso.datetime({ offset: true }),
  version: id,
})
export type Webhook = z.infer<typeof webhook>

const fields = ['id', 'name', 'url', 'clientId', 'clientName', 'colaId', 'colaName', 'isActive'] as const
const listed = listQuery({ sort: fields, filter: [...fields, 'search'], defaultPerPage: 25 })

const instant = z.iso.datetime({ offset: true })
/** An event that was sent, or is to be; its id is that of the message on the desk. */
const delivery = z.object({
  id,
  messageType: text,
  /** `webhook-id`, the same at each try. */
  controlId: text,
  state: z.enum(messageStates),
  ackCode: text,
  reason: text,
  reqId: id.nullable(),
  attempts: id,
  receivedDate: instant,
  settledDate: instant.nullable(),
  /** Of the next try; null when there is none. */
  nextDate: instant.nullable(),
})
export type WebhookDelivery = z.infer<typeof delivery>

const deliveryFields = ['id', 'messageType', 'state', 'reqId'] as const
const deliveriesListed = listQuery({ sort: deliveryFields, filter: deliveryFields, defaultPerPage: 25 })

/** The secret is shown once, in the reply that makes it. */
const withSecret = one(z.object({ id, secret: z.string() }))

export const webhookRoutes = {
  list: get('webhooks', { access: 'webhooks.read', query: listed, reply: page(webhook) }),
  deliveries: get('webhooks/:id/deliveries', {
    access: 'webhooks.read',
    summary: 'What was sent to it and what waits, the newest first',
    params: byId,
    query: deliveriesListed,
    reply: page(delivery),
  }),
  one: get('webhooks/:id', { access: 'webhooks.read', params: byId, reply: one(webhook) }),
  create: post('webhooks', {
    access: 'webhooks.manage',
    summary: 'The secret is in this reply only',
    isReplySecret: true,
    body: webhookInput,
    reply: withSecret,
  }),
  update: put('webhooks/:id', { access: 'webhooks.manage', params: byId, body: webhookUpdate, reply: one(webhook) }),
  remove: del('webhooks/:id', { access: 'webhooks.manage', params: byId, reply: done }),
  rotateSecret: post('webhooks/:id/rotate_secret', {
    access: 'webhooks.manage',
    summary: 'Signs with the old and the new secret for 24 hours',
    isReplySecret: true,
    params: byId,
    reply: withSecret,
  }),
  test: post('webhooks/:id/test', {
    access: 'webhooks.manage',
    summary: 'Sends the event webhook.test',
    params: byId,
    reply: one(z.object({ messageId: id })),
  }),
}
