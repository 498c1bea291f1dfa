import type { Webhook } from '@lis/contract/webhooks.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/db.ts'
import { flag01 } from '../../platform/db/expressions.ts'
import { contains, findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'

export const webhookList: ListDefinition = {
  from: sql`webhook w left join client c on c.id = w.client_id left join collaborator o on o.id = w.collaborator_id`,
  where: [sql`w.deleted_at is null`],
  fields: {
    id: sql`w.id`,
    name: sql`w.name`,
    url: sql`w.url`,
    events: sql`w.events`,
    clientId: sql`w.client_id`,
    clientName: sql`c.name`,
    colaId: sql`w.collaborator_id`,
    colaName: sql`o.name`,
    isActive: flag01(sql`w.is_active`),
    waitingCount: sql`(select count(*)::int from webhook_delivery d where d.webhook_id = w.id and d.state <> 'DONE')`,
    lastSentDate: sql`(select max(m.settled_at) from webhook_delivery d join interface_message m on m.id = d.message_id
      where d.webhook_id = w.id and m.state = 'SENT')`,
    createDate: sql`w.created_at`,
    version: sql`w.version`,
  },
  sort: { name: sql`lower(w.name)`, clientName: sql`lower(c.name)`, colaName: sql`lower(o.name)` },
  filter: {
    id: isOneOfIds(sql`w.id`, 'id'),
    name: contains(sql`w.name`),
    url: contains(sql`w.url`),
    clientId: isOneOfIds(sql`w.client_id`, 'clientId'),
    clientName: contains(sql`c.name`),
    colaId: isOneOfIds(sql`w.collaborator_id`, 'colaId'),
    colaName: contains(sql`o.name`),
    isActive: isOneOf(flag01(sql`w.is_active`)),
    search: contains(sql`concat_ws(' ', w.name, w.url, c.name, o.name)`),
  },
  defaultOrder: sql`lower(w.name)`,
  key: sql`w.id`,
}

export const findWebhook = (db: Db, id: number) => findRow<Webhook>(db, webhookList, id)
