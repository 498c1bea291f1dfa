import { sql } from 'kysely'
import type { Db, Trx } from '../db/db.ts'

export interface AppEvent {
  /** What it is about, e.g. `job`. */
  topic: string
  /** The user it concerns. An event without a user reaches every process, but no user's stream gets its data. */
  userId?: number
  data: unknown
  /** Set when the data was too long for a notification: only the ids are included, the rest has to be fetched. */
  isPartial?: true
}

export const eventChannel = 'lis_events'

/** Announced by triggers (migration 0021): ids of users whose sessions, account or scope have changed, or '*'. */
export const sessionChannel = 'lis_sessions'

/** Sessions of the user have ended: the user's streams check their session at once instead of at the next heartbeat. */
export const sessionTopic = 'session'

// PostgreSQL rejects payloads of 8,000 bytes and more.
const maxPayloadBytes = 7900

/** Notifies all processes when the transaction commits, and never otherwise. */
export const publish = async (trx: Db | Trx, event: Pick<AppEvent, 'topic' | 'userId' | 'data'>): Promise<void> => {
  await sql`select pg_notify(${eventChannel}, ${payloadOf(event)})`.execute(trx)
}

export const payloadOf = (event: Pick<AppEvent, 'topic' | 'userId' | 'data'>): string => {
  const payload = JSON.stringify(event)
  if (Buffer.byteLength(payload) <= maxPayloadBytes) return payload
  return JSON.stringify({ ...event, data: idsOf(event.data), isPartial: true } satisfies AppEvent)
}

/** The short fields by which a subscriber can fetch the rest: `id`, `kind`, `state` and names that end in `Id`. */
const idsOf = (data: unknown): Record<string, unknown> => {
  if (typeof data !== 'object' || data === null) return {}
  const isShort = (value: unknown) => typeof value === 'number' || (typeof value === 'string' && value.length <= 100)
  return Object.fromEntries(
    Object.entries(data)
      .filter(([name, value]) => /^(id|kind|state)$|Id$/.test(name) && isShort(value))
      .slice(0, 20),
  )
}
