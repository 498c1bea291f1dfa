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
  /** After parsing, so that spelling variants count as the same call. */
  input: { params: unknown; query: unknown; body: unknown; answers: unknown }
}

/**
 * Runs a write unless it is a repeat, which gets the first reply. A repeat has the same Idempotency-Key; on a route with
 * `repeatsWithinMs` it is also the same call of the same user shortly after the first.
 */
export const runIdempotently = (
  trx: Trx,
  { route, actor, request, input }: WritingCall,
  run: Run,
): Promise<unknown> => {
  const key = idempotencyKey(request)
  if (!actor || route.isReplySecret) return run()
  const name = `${route.method} ${request.routeOptions.url}`
  const isExplicitKey = key !== undefined && request.headers[automaticKeyHeader] === undefined
  const { repeatsWithinMs: ms } = route
  const repeatable = { name, hash: digest(JSON.stringify(input)), ms: ms ?? 0, about: requisitionOf(route, input) }
  const runFirst: Run = ms === undefined || isExplicitKey ? run : () => runOncePerInterval(trx, actor, repeatable, run)
  return key === undefined
    ? runFirst()
    : runOncePerKey(trx, actor, { key, route: name, hash: bodyHash(request) }, runFirst)
}

/** The requisition in the path, or null for a call about something else. */
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
 * Saves the reply in the transaction of the write. A second call with the same key waits for the first at the unique index and then gets
 * its reply; after a crash either both the write and the reply exist, or neither.
 */
const runOncePerKey = async (trx: Trx, actor: Actor, call: { key: string; route: string; hash: Buffer }, run: Run) => {
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
 * The same call of the same user waits for the one that is running, and within `ms` of its end gets its reply, unless its requisition has
 * changed since: then it is a new call. A failed write saves no reply, so the next call runs. The row is stored in `idempotency_key`.
 */
const runOncePerInterval = async (trx: Trx, actor: Actor, { name, hash, ms, about }: Repeatable, run: Run) => {
  const key = `repeat ${digest(`${name} ${hash.toString('hex')}`).toString('hex')}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${actor.userId} ${key}`}, 0))`.execute(trx)
  // `now()` is the start of this transaction: a call that arrived while the first was running is a repeat however long it has waited.
  const { rows } = await sql<{ reply: string }>`
    select k.reply_body::text as reply from idempotency_key k
    where k.user_id = ${actor.userId} and k.key = ${key} and k.created_at > now() - ${ms} * interval '1 ms'
      and not coalesce((select a.at > k.created_at from audit_entry a where a.requisition_id = ${about}::bigint order by a.id desc limit 1), false)`.execute(
    trx,
  )
  if (rows[0]) return new JsonText(rows[0].reply)
  const result = await run()
  await trx
    .insertInto('idempotency_key')
    .values({
      user_id: actor.userId,
      key,
      route: name,
      request_hash: hash,
      reply_status: 200,
      reply_body: textOf(result),
      created_at: sql<string>`clock_timestamp()`,
    })
    .onConflict((oc) =>
      oc.columns(['user_id', 'key']).doUpdateSet((eb) => ({
        reply_body: eb.ref('excluded.reply_body'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .execute()
  return result
}
