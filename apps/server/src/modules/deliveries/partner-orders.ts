import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import type { Outcome } from '../../platform/messaging/deliver.ts'
import { addressMessages } from '../../platform/messaging/mllp-transport.ts'
import { encryptRaw, type MessageTools } from '../../platform/messaging/raw-message.ts'
import { raiseInterfaceIssue, resolveInterfaceIssues } from './failures.ts'

/** An order that came over an interface: its results go back in the words of its sender. */
export interface PartnerOrder {
  partnerId: number
  partnerName: string
  app: string
  facility: string
  /** Where results go; null for the receivers of the settings. */
  resultUrl: string | null
  identifier: string
  authority: string
  items: PartnerItem[]
  /** What the partner calls our tests, by our code. */
  names: Record<string, string>
}

/** A test or panel as it was ordered. */
export interface PartnerItem {
  placer: string
  code: string
  name: string
  system: string
  /** Our codes of its tests. */
  testCodes: string[]
}

/** The order behind a requisition, if this party sent it through an interface. */
export const findPartnerOrder = async (
  db: Db,
  requisitionId: number,
  party: { kind: string; id: number | null },
): Promise<PartnerOrder | null> => {
  const owner = party.kind === 'COLA' ? sql`p.collaborator_id` : sql`p.client_id`
  if (party.kind === 'COPY' || party.id === null) return null
  const { rows } = await sql<{ found: PartnerOrder }>`
    select json_build_object('partnerId', p.id, 'partnerName', p.name, 'app', p.sending_app, 'facility', p.sending_facility, 'resultUrl', p.result_url,
      'identifier', coalesce(k.identifier, ''), 'authority', coalesce(k.authority, ''),
      'names', (select coalesce(json_object_agg(t.code, m.code), '{}') from interface_code m join test t on t.id = m.test_id where m.partner_id = p.id),
      'items', (select coalesce(json_agg(json_build_object('placer', i.placer_number, 'code', i.code, 'name', coalesce(i.name, ''), 'system', coalesce(i.coding_system, ''),
          'testCodes', array(select t.code from test t where t.id = i.test_id or t.id in (select x.test_id from panel_test x where x.panel_id = i.panel_id) order by t.sort_order))
          order by i.test_id is null, i.placer_number, i.place), '[]')
        from interface_order_item i join interface_order o on o.partner_id = i.partner_id and o.placer_number = i.placer_number
        where i.partner_id = p.id and i.requisition_id = r.id and not o.is_cancelled)) as found
    from requisition r join interface_partner p on ${owner} = ${party.id}::int and p.kind = 'HL7' and p.is_active and p.deleted_at is null
      left join lateral (select identifier, authority from interface_patient k where k.partner_id = p.id and k.patient_id = r.patient_id
        order by exists (select from interface_order o where o.partner_id = p.id and o.requisition_id = r.id and not o.is_cancelled
          and o.patient_identifier = k.identifier and o.patient_authority = k.authority) desc, k.identifier, k.authority limit 1) k on true
    where r.id = ${requisitionId}::bigint and exists (select from interface_order o where o.partner_id = p.id and o.requisition_id = r.id)
    order by p.id limit 1`.execute(db)
  return rows[0]?.found ?? null
}

interface Outgoing {
  order: PartnerOrder
  requisitionId: number
  messageId: number
  reference: string
  body: string
}

/** Notes the message on the desk, as it will be sent but for the document, which is the file of the report. */
export const recordOutgoing = async (
  trx: Trx,
  tools: MessageTools,
  { order, requisitionId, messageId, reference, body }: Outgoing,
) => {
  const text = addressMessages(body, reference).map((one) => one.text)
  const raw = encryptRaw(tools, Buffer.from(text.join('')))
  await sql`insert into interface_message (direction, kind, partner_id, message_type, control_id, state, reason, requisition_id, patient_id, attempts, outbox_message_id, raw)
    select 'OUT', 'HL7', ${order.partnerId}::int, 'ORU^R01', ${reference}, 'RETRYING', 'It waits to be sent', r.id, r.patient_id, 0, ${messageId}::bigint, ${raw}::bytea
    from requisition r where r.id = ${requisitionId}::bigint on conflict do nothing`.execute(trx)
}

const states = { SENT: 'SENT', FAILED: 'RETRYING', DEAD: 'FAILED' } as const

/** Records the outcome of a message for the desk. */
export const recordOutgoingOutcome = async (trx: Trx, { messageId, state, detail, answer, attempts }: Outcome) => {
  const { rows } = await sql<{ requisition_id: number; name: string }>`
    update interface_message m set state = ${states[state]}, attempts = greatest(${attempts}::int, 1), reason = case when ${state} = 'SENT' then null else ${detail} end,
      ack_code = coalesce(substring(${detail} from '^(AA|CA) '), substring(${detail} from ': (AE|AR|CE|CR)\\M')),
      control_id = coalesce(m.control_id, substring(${detail} from '^(?:AA|CA) (\\S+)')), answer = coalesce(${answer}, m.answer),
      settled_at = case when ${state} = 'SENT' then clock_timestamp() end
    from interface_partner p where m.outbox_message_id = ${messageId}::bigint and p.id = m.partner_id
    returning m.requisition_id, p.name`.execute(trx)
  const [row] = rows
  if (row && state === 'DEAD') await raiseInterfaceIssue(trx, row.requisition_id, row.name, detail)
  if (row && state === 'SENT') await resolveInterfaceIssues(trx, [row.requisition_id])
}

/** Settles messages that were stopped before they were sent. */
export const dismissOutgoing = async (trx: Trx, outboxMessageIds: readonly number[], reason: string) => {
  if (outboxMessageIds.length === 0) return
  await sql`select interface_messages_withdrawn(${[...outboxMessageIds]}::bigint[], ${reason})`.execute(trx)
}
