import { createHash, randomBytes } from 'node:crypto'
import { backgroundHeader } from '@lis/contract/kit/route.ts'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Trx } from '../db/db.ts'
import type { Pool } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { publish, sessionTopic } from '../events/publish.ts'
import type { Sql } from '../lists.ts'
import { type Actor, type ActorRow, actorColumns, actorOf } from './actor.ts'

export interface SessionLimits {
  tokenSeconds: number
  idleSeconds: number
  absoluteSeconds: number
}

export const hashToken = (token: string) => createHash('sha256').update(token).digest()

const bearer = (request: FastifyRequest): string | null => {
  const match = /^Bearer ([A-Za-z0-9_-]{20,200})$/.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

/**
 * A call that nobody has caused: a list that follows the work of others, a count, a renewal on the way. An unattended screen would
 * never reach the idle limit by them. Who claims it falsely shortens their own session.
 */
export const isBackground = (request: FastifyRequest) => request.headers[backgroundHeader] !== undefined

export interface SessionOrigin {
  ip: string
  userAgent: string | undefined
  isBackground?: boolean
}

/** The sign-in at the user pool that a session belongs to. */
export interface SignIn {
  userId: number
  origin: string
  authTime: Date
}

const sessionEnded = () => new AppError('sessionEnded', 'Session expired, please re-login.')

/**
 * Opens the session of a sign-in, or renews its token. A session that was ended, or was left alone too long, is not brought back by
 * a refresh: the person signs in again.
 */
export const openSession = async (trx: Trx, signIn: SignIn, limits: SessionLimits, from: SessionOrigin) => {
  const token = randomBytes(32).toString('base64url')
  const tokenExpiresAt = sql<string>`now() + make_interval(secs => ${limits.tokenSeconds})`
  const { rows } = await sql<{ is_over: boolean }>`
    select ended_at is not null or absolute_expires_at <= now() or user_id <> ${signIn.userId}
      or last_seen_at <= now() - make_interval(secs => ${limits.idleSeconds}) as is_over
    from session where origin = ${signIn.origin} for update`.execute(trx)
  if (rows[0]?.is_over) throw sessionEnded()
  if (rows[0]) {
    await trx
      .updateTable('session')
      .set({
        token_hash: hashToken(token),
        token_expires_at: tokenExpiresAt,
        ...(from.isBackground ? {} : { last_seen_at: sql<string>`now()` }),
      })
      .where('origin', '=', signIn.origin)
      .execute()
    return { token, isNew: false }
  }
  const endsAt = new Date(signIn.authTime.getTime() + limits.absoluteSeconds * 1000)
  // Its session may have been cleared away long ago; where the pool lets a sign-in live longer, it still buys no new one.
  if (endsAt.getTime() <= Date.now()) throw sessionEnded()
  await trx
    .insertInto('session')
    .values({
      token_hash: hashToken(token),
      user_id: signIn.userId,
      origin: signIn.origin,
      token_expires_at: tokenExpiresAt,
      absolute_expires_at: endsAt.toISOString(),
      ip: from.ip,
      user_agent: from.userAgent?.slice(0, 400) ?? null,
    })
    .execute()
  return { token, isNew: true }
}

interface SessionRow extends ActorRow {
  session_id: string
  is_over: boolean
  is_token_expired: boolean
  is_seen_long_ago: boolean
}

// Asked on every call, so it is prepared once per connection.
const sessionQuestion = {
  name: 'session',
  text: `
    select s.id as session_id, ${actorColumns},
      s.ended_at is not null or u.status_code <> 'ACT' or u.deleted_at is not null or s.absolute_expires_at <= now()
        or s.last_seen_at <= now() - make_interval(secs => $2) as is_over,
      s.token_expires_at <= now() as is_token_expired,
      s.last_seen_at < now() - make_interval(secs => $2) / 20 as is_seen_long_ago
    from session s join app_user u on u.id = s.user_id where s.token_hash = $1`,
}

/**
 * The person behind a request. The user is read with the session on every call, so that a disabled account, a changed role or a
 * sign-out elsewhere takes effect at once, whichever process answers.
 */
export const authenticator =
  (system: Pool, limits: SessionLimits) =>
  async (request: FastifyRequest): Promise<Actor | null> => {
    const token = bearer(request)
    if (!token) return null
    const { rows } = await system.query<SessionRow>({
      ...sessionQuestion,
      values: [hashToken(token), limits.idleSeconds],
    })
    const found = rows[0]
    if (!found) throw new AppError('unauthenticated', 'Please sign in')
    if (found.is_over) throw sessionEnded()
    if (found.is_token_expired) throw new AppError('tokenExpired', 'The session token has run out')
    // Writing the time of each call would turn every read into a write; a twentieth of the idle limit is exact enough.
    if (found.is_seen_long_ago && !isBackground(request))
      await system.query('update session set last_seen_at = now() where id = $1', [found.session_id])
    return actorOf(found, found.session_id)
  }

/** Ends those of these sessions that are open; their event streams end at once. */
export const closeSessions = async (trx: Trx, reason: string, which: Sql) => {
  const { rows } = await sql<{ user_id: number; origin: string | null }>`
    update session set ended_at = now(), end_reason = ${reason} where ended_at is null and ${which} returning user_id, origin`.execute(
    trx,
  )
  for (const userId of new Set(rows.map(({ user_id }) => user_id)))
    await publish(trx, { topic: sessionTopic, userId, data: {} })
  return rows
}
