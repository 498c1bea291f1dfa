import { sql } from 'kysely'
import type { Db, Trx } from '../db/db.ts'

export interface AppEvent {
  /** What it is about, e.g. `job`. */
  topic: string
  /** Whom it concerns; without it every process hears it, and a person's stream only that it was there, if at all. */
  userId?: number
  data: unknown
  /** Set when the data was too long to travel: only the ids are there, the rest has to be asked for. */
  isPartial?: true
}

export const eventChannel = 'lis_events'

/** Sessions of the person have ended: their streams look whether theirs is one of them, and do not wait for the next heartbeat. */
export const sessionTopic = 'session'

// PostgreSQL refuses 8,000 bytes and more.
const largestPayload = 7900

/** Tells all processes, and only if and when the transaction commits. */
export const publish = async (trx: Db | Trx, event: Pick<AppEvent, 'topic' | 'userId' | 'data'>): Promise<void> => {
  await sql`select pg_notify(${eventChannel}, ${payloadOf(event)})`.execute(trx)
}

export const payloadOf = (event: Pick<AppEvent, 'topic' | 'userId' | 'data'>): string => {
  const whole = JSON.stringify(event)
  if (Buffer.byteLength(whole) <= largestPayload) return whole
  return JSON.stringify({ ...event, data: idsOf(event.data), isPartial: true } satisfies AppEvent)
}

/** The short fields by which a listener can find the rest: `id`, `kind`, and whatever ends in `Id`. */
const idsOf = (data: unknown): Record<string, unknown> => {
  if (typeof data !== 'object' || data === null) return {}
  const isShort = (value: unknown) => typeof value === 'number' || (typeof value === 'string' && value.length <= 100)
  return Object.fromEntries(
    Object.entries(data)
      .filter(([name, value]) => /^(id|kind|state)$|Id$/.test(name) && isShort(value))
      .slice(0, 20),
  )
}
