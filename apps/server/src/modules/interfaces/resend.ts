import { sql } from 'kysely'
import { recordAudit } from '../../platform/audit/record.ts'
import { conflict, notFound } from '../../platform/errors.ts'
import type { WriteCall } from '../../platform/http/implement.ts'
import { lockMessage } from './message-store.ts'

/** Queues an outgoing message again, unchanged; results go to the address that the interface has now. */
export const resend = async ({ db, actor, requestId }: WriteCall, id: number) => {
  const message = await lockMessage(db, id)
  if (!message) throw notFound('Message')
  if (message.direction !== 'OUT' || (message.outbox_message_id === null && message.kind !== 'WEBHOOK'))
    throw conflict(`Message ${id} is not an outgoing message`)
  const { rows } =
    message.kind === 'WEBHOOK'
      ? await sql`update webhook_delivery set state = 'QUEUED', attempts = 0, first_at = now(), next_attempt_at = now()
    where message_id = ${id} and state = 'DONE' returning id`.execute(db)
      : await sql`update outbox_message set state = 'QUEUED', attempts = 0, is_refused = false, next_attempt_at = now(),
      recipient = coalesce((select result_url from interface_partner where id = ${message.partner_id}::int), recipient)
    where id = ${message.outbox_message_id} and state in ('SENT', 'FAILED', 'DEAD') returning id`.execute(db)
  if (rows.length === 0) throw conflict(`Message ${id} is being sent`)
  await sql`update interface_message set state = 'RETRYING', reason = null, settled_at = null where id = ${id}`.execute(
    db,
  )
  await recordAudit(db, actor, requestId, {
    entity: 'interface_message',
    entityId: id,
    ...(message.requisition_id !== null && { requisitionId: message.requisition_id }),
    action: 'RESEND',
    old: { state: message.state, reason: message.reason },
  })
}
