import { createHash } from 'node:crypto'
import type { InstrumentMessage } from '@lis/contract/instrument-results.ts'
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/db.ts'
import { anyId, bigint } from '../../platform/db/expressions.ts'
import { decryptBytes, deriveKey, encryptBytes } from '../../platform/encryption.ts'
import { notFound } from '../../platform/errors.ts'
import { findRow, isOneOf, isOneOfIds, type ListDefinition } from '../../platform/lists.ts'

export interface MessageTools {
  config: { secret: string }
}

const key = ({ config }: MessageTools) => deriveKey(config.secret, 'instrument-message')
export const encryptMessage = (tools: MessageTools, text: string) => encryptBytes(key(tools), Buffer.from(text))
export const decryptMessage = (tools: MessageTools, raw: Buffer) => decryptBytes(key(tools), raw).toString('utf8')

const messageHashOf = (content: string): Buffer => createHash('sha256').update(content).digest()

export interface NewMessage {
  instrumentId: number
  direction: 'IN' | 'OUT'
  protocol: 'ASTM' | 'HL7' | 'FILE'
  state: 'COMPLETE' | 'INCOMPLETE'
  reason?: string | null
  raw: string
  /** The message without its time of sending; the raw text if it is missing. */
  content?: string
}

/** A complete incoming message waits to be processed. */
export const storeMessage = async (trx: Trx, tools: MessageTools, message: NewMessage): Promise<number | undefined> => {
  const { instrumentId, direction, protocol, state, reason = null, raw, content = raw } = message
  const { rows } = await sql<{ id: number }>`
    insert into instrument_message (instrument_id, direction, protocol, state, reason, raw, content_hash, is_waiting)
    values (${instrumentId}::int, ${direction}, ${protocol}, ${state}, ${reason}, ${encryptMessage(tools, raw)}::bytea, ${messageHashOf(content)}::bytea,
      ${direction === 'IN' && state === 'COMPLETE'})
    on conflict (instrument_id, content_hash) where protocol = 'FILE' do nothing returning id`.execute(trx)
  return rows[0]?.id
}

export const messageList: ListDefinition = {
  from: sql`instrument_message m join instrument k on k.id = m.instrument_id join lab on lab.id = k.lab_id`,
  where: [],
  fields: {
    id: sql`m.id`,
    instrumentId: sql`m.instrument_id`,
    instrumentName: sql`k.name`,
    labZone: sql`lab.zone`,
    direction: sql`m.direction`,
    state: sql`m.state`,
    reason: sql`m.reason`,
    receivedAt: sql`m.received_at`,
    resultCount: sql`(select count(*) from instrument_result i where i.message_id = m.id)`,
  },
  filter: {
    id: isOneOfIds(sql`m.id`, 'id'),
    instrumentId: isOneOfIds(sql`m.instrument_id`, 'instrumentId'),
    direction: isOneOf(sql`m.direction`),
    state: isOneOf(sql`m.state`),
  },
  defaultOrder: sql`m.id desc`,
  key: sql`m.id`,
}

export const getMessage = async (db: Db, tools: MessageTools, id: number) => {
  const found = await findRow<InstrumentMessage>(db, messageList, id)
  const stored = await db.selectFrom('instrument_message').select('raw').where('id', '=', bigint(id)).executeTakeFirst()
  if (!found || !stored) throw notFound('Message')
  const raw = decryptMessage(tools, stored.raw)
  return { ...found, raw, requisitions: await listRequisitionsOf(db, id, raw) }
}

/** The specimens whose results the message contains, or whose orders it lists in an answer to a query. */
const listRequisitionsOf = async (db: Db, id: number, raw: string): Promise<{ reqId: number }[]> => {
  const named = [...raw.matchAll(/^O\|\d*\|0*(\d{1,15})/gm)].map(([, digits]) => Number(digits))
  const { rows } = await sql<{ reqId: number }>`
    select r.id as "reqId" from requisition r where r.id = ${anyId(named)}
      or r.id in (select i.requisition_id from instrument_result i where i.message_id = ${id}::bigint) order by r.id`.execute(
    db,
  )
  return rows
}
