import { instrumentTopic } from '@lis/contract/instruments.ts'
import { sql } from 'kysely'
import { systemScope } from '../../platform/db/scope.ts'
import { publish } from '../../platform/events/publish.ts'
import type { Services } from '../../platform/services.ts'
import { decryptMessage, encryptMessage, type NewMessage, storeMessage } from '../instrument-results/messages.ts'

export type InstrumentServices = Pick<Services, 'config' | 'databases' | 'log'>

export type LinkStatus = 'LISTENING' | 'CONNECTED' | 'CLOSED' | 'ERROR'

/** Stores the state of the connection to an instrument. */
export const setLinkStatus = async (
  { databases }: InstrumentServices,
  instrumentId: number,
  state: LinkStatus,
  message: string | null,
) => {
  const db = databases(systemScope)
  await sql`insert into instrument_link (instrument_id, state, message) values (${instrumentId}::int, ${state}, ${message})
    on conflict (instrument_id) do update set state = excluded.state, message = excluded.message`.execute(db)
  await publish(db, { topic: instrumentTopic, data: { changed: 1 } })
}

export const connectedWords = 'Connected with'

/** A connection has ended: its last error, such as an incomplete message, remains visible. */
export const setLinkEnded = async ({ databases }: InstrumentServices, instrumentId: number) => {
  const db = databases(systemScope)
  await sql`update instrument_link set state = 'LISTENING', message = case when message not like ${`${connectedWords}%`} then message end
    where instrument_id = ${instrumentId}::int`.execute(db)
  await publish(db, { topic: instrumentTopic, data: { changed: 1 } })
}

/** The latest event, without a change of state. */
export const setLinkMessage = async ({ databases }: InstrumentServices, instrumentId: number, message: string) => {
  const db = databases(systemScope)
  await sql`insert into instrument_link (instrument_id, message) values (${instrumentId}::int, ${message})
    on conflict (instrument_id) do update set message = excluded.message`.execute(db)
  await publish(db, { topic: instrumentTopic, data: { changed: 1 } })
}

/** All links of a process that is stopping or has died. */
export const closeAllLinks = async ({ databases }: InstrumentServices) => {
  await sql`update instrument_link set state = 'CLOSED', message = null where state <> 'CLOSED'`.execute(
    databases(systemScope),
  )
}

export interface Taken {
  messages: Omit<NewMessage, 'instrumentId' | 'direction' | 'protocol'>[]
  /** The rest of an incomplete message; '' if there is none. */
  pending: string
}

/** Stores complete messages and the incomplete rest in one transaction: when it returns, they are durable. Returns the ids of the messages. */
export const storeTaken = async (
  services: InstrumentServices,
  instrumentId: number,
  protocol: NewMessage['protocol'],
  { messages, pending }: Taken,
): Promise<number[]> =>
  services
    .databases(systemScope)
    .transaction()
    .execute(async (trx) => {
      const ids: number[] = []
      for (const message of messages) {
        const id = await storeMessage(trx, services, { ...message, instrumentId, direction: 'IN', protocol })
        if (id !== undefined) ids.push(id)
      }
      const left = pending === '' ? null : encryptMessage(services, pending)
      await sql`insert into instrument_link (instrument_id, pending, last_seen_at) values (${instrumentId}::int, ${left}::bytea, clock_timestamp())
        on conflict (instrument_id) do update set pending = excluded.pending, last_seen_at = excluded.last_seen_at`.execute(
        trx,
      )
      return ids
    })

/** The acknowledged part of an incomplete message, left by a process that died. */
export const loadPending = async (services: InstrumentServices, instrumentId: number): Promise<string> => {
  const { rows } = await sql<{ pending: Buffer | null }>`
    select pending from instrument_link where instrument_id = ${instrumentId}::int`.execute(
    services.databases(systemScope),
  )
  const pending = rows[0]?.pending
  return pending ? decryptMessage(services, pending) : ''
}

/** An outgoing message. */
export const storeOutgoing = (
  services: InstrumentServices,
  instrumentId: number,
  raw: string,
): Promise<number | undefined> =>
  services
    .databases(systemScope)
    .transaction()
    .execute((trx) =>
      storeMessage(trx, services, {
        instrumentId,
        direction: 'OUT',
        protocol: 'ASTM',
        state: 'INCOMPLETE',
        reason: 'Not sent yet',
        raw,
      }),
    )

/** Work lists that were not sent yet. Each is returned once: the caller sends it, or records why not. */
export const takeWorkLists = async (
  services: InstrumentServices,
): Promise<{ id: number; instrumentId: number; message: string }[]> => {
  const { rows } = await sql<{ id: number; instrumentId: number; raw: Buffer }>`
    update instrument_message set is_to_send = false where is_to_send returning id, instrument_id as "instrumentId", raw`.execute(
    services.databases(systemScope),
  )
  return rows.map(({ raw, ...rest }) => ({ ...rest, message: decryptMessage(services, raw) }))
}

export const settleOutgoing = async ({ databases }: InstrumentServices, id: number, failure: string | null) => {
  await sql`update instrument_message set state = case when ${failure}::text is null then 'COMPLETE' else 'INCOMPLETE' end, reason = ${failure},
      sent_at = case when ${failure}::text is null then clock_timestamp() end
    where id = ${id}`.execute(databases(systemScope))
}
