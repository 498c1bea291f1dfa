import { messages } from '@lis/contract/messages.ts'
import { mergeUpdate } from '@lis/contract/partial-input.ts'
import { type Webhook, type WebhookInput, type WebhookUpdate, webhookLabels } from '@lis/contract/webhooks.ts'
import { sql } from 'kysely'
import { type AuditRecord, recordAudit } from '../../platform/audit/record.ts'
import type { Db, Trx } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { deriveKey, encrypt } from '../../platform/encryption.ts'
import { conflict, invalid, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { requireVersion } from '../../platform/http/version.ts'
import { RefusedAddress, requirePublicAddress } from '../../platform/outbound/addresses.ts'
import type { Services } from '../../platform/services.ts'
import { lockOwner } from '../clients/owner.ts'
import { findWebhook } from './queries.ts'
import { makeSecret } from './signature.ts'

export interface WebhookCall extends WriteCall {
  services: Pick<Services, 'config'>
}

export const webhookKey = ({ config }: Pick<Services, 'config'>) => deriveKey(config.secret, 'webhook')

const audit = ({ db, actor, requestId }: WriteCall, id: number, record: Pick<AuditRecord, 'action' | 'old' | 'new'>) =>
  recordAudit(db, actor, requestId, { entity: 'webhook', entityId: id, ...record })

/** For the history: names instead of ids, and no secret. */
const readable = ({ name, url, events, clientName, colaName, isActive }: Webhook) => ({
  name,
  url,
  events: events.join(', '),
  clientName,
  colaName,
  isActive,
})

export const getWebhook = async (db: Db, id: number): Promise<Webhook> => {
  const found = await findWebhook(db, id)
  if (!found) throw notFound('Webhook')
  return found
}

const lockWebhook = async (trx: Trx, id: number): Promise<Webhook> => {
  await trx.selectFrom('webhook').select('id').where('id', '=', bigint(id)).forNoKeyUpdate().execute()
  return getWebhook(trx, id)
}

export const createWebhook = async (
  call: WebhookCall,
  input: WebhookInput,
): Promise<{ id: number; secret: string }> => {
  const { db, services } = call
  await requireValid(call, input)
  const secret = makeSecret()
  const { id } = await db
    .insertInto('webhook')
    .values({ ...columnsOf(input), secret: encrypt(webhookKey(services), secret) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await audit(call, id, { action: 'CREATE', new: readable(await getWebhook(db, id)) })
  return { id, secret }
}

export const updateWebhook = async (
  call: WebhookCall,
  id: number,
  sent: WebhookUpdate,
  expected: number | null,
): Promise<Webhook> => {
  const { db } = call
  const before = await lockWebhook(db, id)
  await requireVersion(db, 'webhook', expected, before)
  const input = mergeUpdate(before as WebhookInput & Webhook, sent)
  await requireValid(call, input)
  await db
    .updateTable('webhook')
    .set({ ...columnsOf(input), version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  const after = await getWebhook(db, id)
  await audit(call, id, { action: 'UPDATE', old: readable(before), new: readable(after) })
  return after
}

/** Waiting events are not sent any more. */
export const removeWebhook = async (call: WriteCall, id: number) => {
  const before = await lockWebhook(call.db, id)
  await call.db
    .updateTable('webhook')
    .set({ deleted_at: sql<string>`now()`, version: sql<number>`version + 1` })
    .where('id', '=', id)
    .execute()
  await audit(call, id, { action: 'DELETE', old: readable(before) })
}

/** The old secret signs beside the new one for a day, so that the receiver can change over. */
export const rotateWebhookSecret = async (call: WebhookCall, id: number): Promise<{ id: number; secret: string }> => {
  const { db, services } = call
  await lockWebhook(db, id)
  const secret = makeSecret()
  await db
    .updateTable('webhook')
    .set({
      old_secret: sql`secret`,
      old_secret_until: sql<string>`now() + interval '24 hours'`,
      secret: encrypt(webhookKey(services), secret),
      version: sql<number>`version + 1`,
    })
    .where('id', '=', id)
    .execute()
  await audit(call, id, { action: 'ROTATE_SECRET' })
  return { id, secret }
}

export const testWebhook = async (call: WriteCall, id: number): Promise<{ messageId: number }> => {
  const { isActive } = await lockWebhook(call.db, id)
  if (isActive === 0) throw conflict('The webhook is switched off')
  const { rows } = await sql<{ id: number }>`
    select webhook_queue(${id}::int, 'webhook.test', null, jsonb_build_object('webhookId', ${id}::int)) as id`.execute(
    call.db,
  )
  await audit(call, id, { action: 'TEST' })
  return { messageId: (rows[0] as { id: number }).id }
}

const requireValid = async ({ db, services }: WebhookCall, { url, clientId, colaId }: WebhookInput) => {
  if (clientId !== null && colaId !== null)
    throw invalid('colaId', 'A webhook belongs to a client or to a collaborator, not to both')
  try {
    requirePublicAddress(url, services.config.OUTBOUND_ALLOW)
  } catch (error) {
    if (!(error instanceof RefusedAddress)) throw error
    throw invalid('url', `${webhookLabels.url} ${error.message}`)
  }
  const unknown = await lockOwner(db, { clientId, colaId })
  if (unknown) throw invalid(unknown, messages.invalid(webhookLabels[unknown]))
}

const columnsOf = (input: WebhookInput) => ({
  name: input.name,
  url: input.url,
  events: input.events,
  client_id: input.clientId,
  collaborator_id: input.colaId,
  is_active: input.isActive === 1,
})
