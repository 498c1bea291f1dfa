import { createHash } from 'node:crypto'
import type { MessageState } from '@lis/contract/interfaces.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { encryptRaw, type MessageTools } from '../../platform/messaging/raw-message.ts'
import type { Problem } from './incoming-order.ts'

/** The decision about a held message. */
export interface Choices {
  physId?: number
  patientId?: number
  newPatient?: boolean
  approve?: boolean
}

export interface StoredMessage {
  id: number
  direction: 'IN' | 'OUT'
  kind: 'HL7' | 'FHIR' | 'WEBHOOK'
  partner_id: number | null
  message_type: string | null
  control_id: string | null
  state: MessageState
  ack_code: string | null
  reason: string | null
  requisition_id: number | null
  patient_id: number | null
  raw: Buffer | null
  answer: string | null
  content_hash: Buffer | null
  problems: Problem[]
  causes: string[]
  choices: Choices
  received_at: string
  outbox_message_id: number | null
  order_changes: number | null
}

export interface NewInterfaceMessage {
  direction: 'IN' | 'OUT'
  kind: 'HL7' | 'FHIR' | 'WEBHOOK'
  partnerId: number | null
  messageType: string | null
  controlId: string | null
  state: MessageState
  ackCode: string | null
  reason?: string | null
  requisitionId?: number | null
  patientId?: number | null
  subject?: string | null
  raw: Buffer | null
  answer?: string | null
  contentHash?: Buffer | null
  /** Owns its control id. */
  isFirst?: boolean
  outboxMessageId?: number | null
  /** The number of changes of the order when its version was compared. */
  orderChanges?: number | null
}

export const hashOf = (content: string): Buffer => createHash('sha256').update(content).digest()

const settledStates: readonly MessageState[] = ['ACCEPTED', 'REJECTED', 'SENT', 'DISMISSED']
export const isSettled = (state: MessageState) => settledStates.includes(state)

/** Stores a message; undefined when another one of the partner owns its control id. */
export const storeMessage = async (
  trx: Trx,
  tools: MessageTools,
  message: NewInterfaceMessage,
): Promise<{ id: number } | undefined> => {
  const { rows } = await sql<{ id: number }>`
    insert into interface_message (direction, kind, partner_id, message_type, control_id, state, ack_code, reason, requisition_id, patient_id,
      subject, raw, answer, content_hash, is_first, outbox_message_id, order_changes, settled_at)
    values (${message.direction}, ${message.kind}, ${message.partnerId}::int, ${printable(message.messageType)}, ${printable(message.controlId)},
      ${message.state}, ${message.ackCode}, ${printable(message.reason ?? null)}, ${message.requisitionId ?? null}::bigint, ${message.patientId ?? null}::bigint,
      ${printable(message.subject ?? null)}, ${message.raw && encryptRaw(tools, message.raw)}::bytea, ${printable(message.answer ?? null, longestAnswer)},
      ${message.contentHash ?? null}::bytea, ${message.isFirst ?? false}, ${message.outboxMessageId ?? null}::bigint, ${message.orderChanges ?? null}::int,
      case when ${isSettled(message.state)} then clock_timestamp() end)
    on conflict (partner_id, direction, control_id) where is_first do nothing returning id`.execute(trx)
  return rows[0]
}

const longestText = 4000
/** An answer is repeated unchanged, however many errors it names. */
const longestAnswer = 1_000_000

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is refused by the database
const unprintable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g

/** Removes what the database cannot store in a text, and limits the length. */
const printable = (text: string | null, longest = longestText) =>
  text === null ? null : text.replace(unprintable, '').slice(0, longest)

export const findFirst = async (trx: Trx, partnerId: number, controlId: string): Promise<StoredMessage | undefined> => {
  const { rows } = await sql<StoredMessage>`select * from interface_message
    where partner_id = ${partnerId} and direction = 'IN' and control_id = ${printable(controlId)} and is_first`.execute(
    trx,
  )
  return rows[0]
}

/** The same message was sent again. */
export const countAttempt = async (trx: Trx, id: number) => {
  await sql`update interface_message set attempts = attempts + 1 where id = ${id}`.execute(trx)
}

export const lockMessage = async (trx: Trx, id: number): Promise<StoredMessage | undefined> => {
  const { rows } =
    await sql<StoredMessage>`select * from interface_message where id = ${id}::bigint for update`.execute(trx)
  return rows[0]
}

export const findMessage = async (db: Db, id: number): Promise<StoredMessage | undefined> => {
  const { rows } = await sql<StoredMessage>`select * from interface_message where id = ${id}::bigint`.execute(db)
  return rows[0]
}

export interface Settlement {
  state: MessageState
  reason: string | null
  requisitionId?: number | null
  patientId?: number | null
  subject?: string | null
  extOrderId?: string | null
  problems?: readonly Problem[]
  causes?: readonly string[]
}

export const settleMessage = async (trx: Trx, id: number, settlement: Settlement) => {
  const { state, reason, requisitionId, patientId, subject, extOrderId, problems = [], causes = [] } = settlement
  await sql`update interface_message set state = ${state}, reason = ${printable(reason)},
      requisition_id = coalesce(${requisitionId ?? null}::bigint, requisition_id), patient_id = coalesce(${patientId ?? null}::bigint, patient_id),
      subject = coalesce(${printable(subject ?? null)}, subject), ext_order_id = coalesce(${printable(extOrderId || null)}, ext_order_id), problems = ${JSON.stringify(problems)}::jsonb, causes = ${[...causes]}::text[],
      settled_at = case when ${isSettled(state)} then clock_timestamp() end
    where id = ${id}`.execute(trx)
}

/** Records that a message was refused after it was stored; its control id can be used again. */
export const refuseStored = async (trx: Trx, id: number, ackCode: string) => {
  await sql`update interface_message set ack_code = ${ackCode}, is_first = false where id = ${id}`.execute(trx)
}

/** Deletes raw messages after their retention time. The rows are kept. */
export const removeOldRaw = async (db: Db, days: number) => {
  await sql`update interface_message set raw = null, subject = case when patient_id is null then null else subject end
    where raw is not null and received_at < now() - make_interval(days => ${days})`.execute(db)
}
