import { createHash } from 'node:crypto'
import { automaticKeyHeader, type Route } from '@lis/contract/kit/route.ts'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Actor } from '../auth/actor.ts'
import type { Trx } from '../db/db.ts'
import { conflict, invalid } from '../errors.ts'
import { JsonText } from './json-text.ts'

type Run = () => Promise<unknown>

interface WritingCall {
  route: Route
  actor: Actor | null
  request: FastifyRequest
  /** After parsing: what differs only in its spelling is the same call. */
  input: { params: unknown; query: unknown; body: unknown; answers: unknown }
}

/**
 * Runs a write unless it is a repeat, which gets the first reply. A repeat is known by its Idempotency-Key; without one, on a route that
 * says so, by being the same call of the same person shortly after the first.
 */
export const unlessRepeated = (trx: Trx, { route, actor, request, input }: WritingCall, run: Run): Promise<unknown> => {
  const key = idempotencyKey(request)
  if (!actor || route.isReplySecret) return run()
  const name = `${route.method} ${request.routeOptions.url}`
  const isKeyMeant = key !== undefined && request.headers[automaticKeyHeader] === undefined
  const { repeatsWithinMs: ms } = route
  const repeatable = { name, hash: digest(JSON.stringify(input)), ms: ms ?? 0, about: requisitionOf(route, input) }
  const runFirst: Run = ms === undefined || isKeyMeant ? run : () => firstReply(trx, actor, repeatable, run)
  return key === undefined ? runFirst() : once(trx, actor, { key, route: name, hash: bodyHash(request) }, runFirst)
}

/** The requisition in the address, or null where the call is about something else. */
const requisitionOf = ({ path }: Route, { params }: WritingCall['input']): number | null => {
  const name = /^requisitions\/:(\w+)\//.exec(path)?.[1]
  const id = name === undefined ? undefined : (params as Record<string, unknown>)[name]
  return typeof id === 'number' ? id : null
}

const idempotencyKey = (request: FastifyRequest): string | undefined => {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (Array.isArray(key) || key.length < 8 || key.length > 200)
    throw invalid('Idempotency-Key', 'Idempotency-Key must have 8 to 200 characters')
  return key
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const bodyHash = (request: FastifyRequest) => digest(`${request.url}\n${JSON.stringify(request.body ?? null)}`)
const textOf = (result: unknown) => (result instanceof JsonText ? result.text : JSON.stringify(result))

/**
 * The reply is kept in the transaction of the write itself. A second call with the same key waits for the first at the unique
 * index and then gets its answer; after a crash either both the write and the reply are there, or neither.
 */
const once = async (trx: Trx, actor: Actor, call: { key: string; route: string; hash: Buffer }, run: Run) => {
  const inserted = await trx
    .insertInto('idempotency_key')
    .values({ user_id: actor.userId, key: call.key, route: call.route, request_hash: call.hash })
    .onConflict((oc) => oc.columns(['user_id', 'key']).doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 0n) {
    const earlier = await trx
      .selectFrom('idempotency_key')
      .select(['request_hash', 'route', sql<string>`reply_body::text`.as('reply')])
      .where('user_id', '=', actor.userId)
      .where('key', '=', call.key)
      .executeTakeFirstOrThrow()
    if (earlier.route !== call.route || !call.hash.equals(earlier.request_hash)) {
      throw conflict('This Idempotency-Key was used for another request')
    }
    return new JsonText(earlier.reply)
  }
  const result = await run()
  await trx
    .updateTable('idempotency_key')
    .set({ reply_status: 200, reply_body: textOf(result) })
    .where('user_id', '=', actor.userId)
    .where('key', '=', call.key)
    .execute()
  return result
}

interface Repeatable {
  name: string
  hash: Buffer
  ms: number
  about: number | null
}

/**
 * The same call of the same person waits for the one that runs, and within `ms` of its end gets its reply, unless the requisition that it
 * is about has changed meanwhile: it is then meant once more. A write that failed has kept no reply, so the next one runs. The row lies
 * beside those of the keys.
 */
const firstReply = async (trx: Trx, actor: Actor, { name, hash, ms, about }: Repeatable, run: Run) => {
  const key = `repeat ${digest(`${name} ${hash.toString('hex')}`).toString('hex')}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${actor.userId} ${key}`}, 0))`.execute(trx)
  // `now()` is when this call began: one that came while the first was running is a repeat however long it has waited.
  const { rows } = await sql<{ reply: string }>`
    select k.reply_body::text as reply from idempotency_key k
    where k.user_id = ${actor.userId} and k.key = ${key} and k.created_at > now() - ${ms} * interval '1 ms'
      and not coalesce((select a.at > k.created_at from audit_entry a where a.requisition_id = ${about}::bigint order by a.id desc limit 1), false)`.execute(
    trx,
  )
  if (rows[0]) return new JsonText(rows[0].reply)
  const result = await run()
  await sql`
    insert into idempotency_key (user_id, key, route, request_hash, reply_status, reply_body, created_at)
    values (${actor.userId}, ${key}, ${name}, ${hash}, 200, ${textOf(result)}, clock_timestamp())
    on conflict (user_id, key) do update set reply_body = excluded.reply_body, created_at = excluded.created_at`.execute(
    trx,
  )
  return result
}
