import type { Webhook } from '@lis/contract/webhooks.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'
import { ownerOf } from '../clients/owner.ts'

const owner = ownerOf('w')

export const webhookList: ListDefinition = {
  from: sql`webhook w ${owner.joins}`,
  where: [sql`w.deleted_at is null`],
  fields: {
    id: sql`w.id`,
    name: sql`w.name`,
    url: sql`w.url`,
    events: sql`w.events`,
    ...owner.fields,
    isActive: flag01(sql`w.is_active`),
    waitingCount: sql`(select count(*)::int from webhook_delivery d where d.webhook_id = w.id and d.state <> 'DONE')`,
    lastSentDate: sql`(select m.settled_at from webhook_delivery d join interface_message m on m.id = d.message_id
      where d.webhook_id = w.id and m.state = 'SENT' order by d.id desc limit 1)`,
    createDate: sql`w.created_at`,
    version: sql`w.version`,
  },
  sort: { name: sql`lower(w.name)`, ...owner.sort },
  filter: {
    id: isOneOfIds(sql`w.id`, 'id'),
    name: contains(sql`w.name`),
    url: contains(sql`w.url`),
    ...owner.filter,
    isActive: isOneOf(flag01(sql`w.is_active`)),
    search: contains(sql`concat_ws(' ', w.name, w.url, c.name, o.name)`),
  },
  defaultOrder: sql`lower(w.name)`,
  key: sql`w.id`,
}

export const findWebhook = (db: Db, id: number) => findRow<Webhook>(db, webhookList, id)

/** The sent and waiting events of a webhook. */
export const deliveryList = (id: number): ListDefinition => ({
  from: sql`webhook_delivery d join interface_message m on m.id = d.message_id`,
  where: [sql`d.webhook_id = ${id}::int`],
  fields: {
    id: sql`m.id`,
    messageType: sql`m.message_type`,
    controlId: sql`m.control_id`,
    state: sql`m.state`,
    ackCode: sql`m.ack_code`,
    reason: sql`m.reason`,
    reqId: sql`m.requisition_id`,
    attempts: sql`m.attempts`,
    receivedDate: sql`m.received_at`,
    settledDate: sql`m.settled_at`,
    nextDate: sql`case when d.state = 'DONE' then null else d.next_attempt_at end`,
  },
  sort: { id: sql`d.id` },
  filter: {
    id: isOneOfIds(sql`m.id`, 'id'),
    messageType: isOneOf(sql`m.message_type`),
    state: isOneOf(sql`m.state`),
    reqId: isOneOfIds(sql`m.requisition_id`, 'reqId'),
  },
  defaultOrder: sql`d.id desc`,
  key: sql`d.id`,
})
