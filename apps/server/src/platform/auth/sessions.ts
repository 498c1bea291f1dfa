import { createHash, randomBytes } from 'node:crypto'
import { can } from '@lis/contract/access/permissions.ts'
import { roleOf } from '@lis/contract/access/roles.ts'
import { backgroundHeader } from '@lis/contract/kit/route.ts'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Trx } from '../db/db.ts'
import type { Pool } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { publish, sessionTopic } from '../events/publish.ts'
import type { Sql } from '../lists.ts'
import { type Actor, type ActorRow, actorColumns, actorName, actorOf } from './actor.ts'
import type { SessionCache } from './session-cache.ts'

export interface SessionLimits {
  tokenSeconds: number
  idleSeconds: number
  absoluteSeconds: number
}

export const hashToken = (token: string) => createHash('sha256').update(token).digest()

const bearerToken = (request: FastifyRequest): string | null => {
  const match = /^Bearer ([A-Za-z0-9_-]{20,200})$/.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

/**
 * A call that no user action has caused, such as a list that refreshes itself, a count or a token renewal. It does not extend the
 * session: otherwise an unattended screen would never reach the idle limit.
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
 * Opens the session of a sign-in, or renews its token. A session that has ended or was idle too long is not revived by a refresh: the
 * user signs in again.
 */
export const openSession = async (trx: Trx, signIn: SignIn, limits: SessionLimits, from: SessionOrigin) => {
  const token = randomBytes(32).toString('base64url')
  const tokenExpiresAt = sql<string>`now() + make_interval(secs => ${limits.tokenSeconds})`
  const existing = await trx
    .selectFrom('session')
    .select(({ eb, or }) =>
      or([
        eb('ended_at', 'is not', null),
        eb('absolute_expires_at', '<=', sql<string>`now()`),
        eb('user_id', '<>', signIn.userId),
        eb('last_seen_at', '<=', sql<string>`now() - make_interval(secs => ${limits.idleSeconds})`),
      ]).as('is_over'),
    )
    .where('origin', '=', signIn.origin)
    .forUpdate()
    .executeTakeFirst()
  if (existing?.is_over) throw sessionEnded()
  if (existing) {
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
  // The session row may have been deleted long ago. A pool may let a sign-in live longer, but it opens no new session then.
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

/** Opens the session of an API client. Its token is not renewed: the client signs in again. */
export const openClientSession = async (
  trx: Trx,
  client: { id: number; userId: number; scopes: readonly string[]; seconds: number },
  from: SessionOrigin,
): Promise<string> => {
  const token = randomBytes(32).toString('base64url')
  const endsAt = sql<string>`now() + make_interval(secs => ${client.seconds})`
  await trx
    .insertInto('session')
    .values({
      token_hash: hashToken(token),
      user_id: client.userId,
      api_client_id: client.id,
      scopes: [...client.scopes],
      token_expires_at: endsAt,
      absolute_expires_at: endsAt,
      ip: from.ip,
      user_agent: from.userAgent?.slice(0, 400) ?? null,
    })
    .execute()
  return token
}

const viewTokenPrefix = 'view-'
/** The longest that an administrator may see what another person sees. */
const viewSeconds = 30 * 60

/** Whether a call is made with the token of a view session, which may change nothing. */
export const hasViewToken = (request: FastifyRequest) => bearerToken(request)?.startsWith(viewTokenPrefix) ?? false

/** Opens a session in which an administrator sees what the user sees. It ends with the administrator's own session at the latest. */
export const openViewSession = async (
  trx: Trx,
  view: { userId: number; viewerSessionId: string; reason: string },
  from: SessionOrigin,
) => {
  const token = viewTokenPrefix + randomBytes(32).toString('base64url')
  const endsAt = sql<string>`least(now() + make_interval(secs => ${viewSeconds}),
    (select absolute_expires_at from session where id = ${view.viewerSessionId}))`
  const { ends_at } = await trx
    .insertInto('session')
    .values({
      token_hash: hashToken(token),
      user_id: view.userId,
      viewer_session_id: view.viewerSessionId,
      view_reason: view.reason,
      token_expires_at: endsAt,
      absolute_expires_at: endsAt,
      ip: from.ip,
      user_agent: from.userAgent?.slice(0, 400) ?? null,
    })
    .returning('absolute_expires_at as ends_at')
    .executeTakeFirstOrThrow()
  return { token, endsAt: ends_at }
}

interface SessionRow extends ActorRow {
  session_id: string
  api_client_id: number | null
  scopes: string[]
  viewer: { userId: number; firstName: string; lastName: string; roleCode: string; isOver: boolean } | null
  is_over: boolean
  is_token_expired: boolean
  is_seen_long_ago: boolean
  /** Until the session or its token ends if nobody uses it. */
  valid_seconds: number
  unnoted_seconds: number
}

// Often run, so it is prepared once per connection.
const sessionQuery = {
  name: 'session',
  text: `
    select s.id as session_id, s.api_client_id, s.scopes, ${actorColumns},
      case when s.viewer_session_id is not null then (
        select json_build_object('userId', v.id, 'firstName', v.first_name, 'lastName', v.last_name, 'roleCode', v.role_code,
          'isOver', o.ended_at is not null or v.status_code <> 'ACT' or v.deleted_at is not null)
        from session o join app_user v on v.id = o.user_id where o.id = s.viewer_session_id) end as viewer,
      s.ended_at is not null or u.status_code <> 'ACT' or u.deleted_at is not null or s.absolute_expires_at <= now()
        or s.last_seen_at <= now() - make_interval(secs => $2) as is_over,
      s.token_expires_at <= now() as is_token_expired,
      s.last_seen_at < now() - make_interval(secs => $2) / 20 as is_seen_long_ago,
      extract(epoch from least(s.token_expires_at, s.absolute_expires_at, s.last_seen_at + make_interval(secs => $2)) - now())::float8
        as valid_seconds,
      extract(epoch from s.last_seen_at + make_interval(secs => $2) / 20 - now())::float8 as unnoted_seconds
    from session s join app_user u on u.id = s.user_id where s.token_hash = $1`,
}

/**
 * The person behind a request, from memory while changes are announced, otherwise read on every call: a disabled account, a changed role
 * or a sign-out elsewhere counts within 50 ms, whichever process answers.
 */
export const authenticator =
  (system: Pool, limits: SessionLimits, cache: SessionCache) =>
  async (request: FastifyRequest): Promise<Actor | null> => {
    const token = bearerToken(request)
    if (!token) return null
    const hash = hashToken(token)
    const key = hash.toString('base64')
    const known = await cache.find(key, !isBackground(request))
    if (known) return known
    const mark = cache.mark()
    const { rows } = await system.query<SessionRow>({ ...sessionQuery, values: [hash, limits.idleSeconds] })
    const found = rows[0]
    if (!found) throw new AppError('unauthenticated', 'Please sign in')
    if (found.api_client_id !== null && (found.is_over || found.is_token_expired))
      throw new AppError('unauthenticated', 'The access token is no longer valid')
    const viewer = found.viewer ? viewerOf(found.viewer) : undefined
    if (found.is_over || viewer === null) throw sessionEnded()
    if (found.is_token_expired) throw new AppError('tokenExpired', 'The session token has expired')
    const actor: Actor = {
      ...actorOf(found, found.session_id),
      ...(found.api_client_id !== null && { apiClient: { id: found.api_client_id, scopes: found.scopes } }),
      ...(viewer && { viewer }),
    }
    // Not on every call, which would turn every read into a write; a twentieth of the idle limit is precise enough.
    if (found.is_seen_long_ago && !isBackground(request))
      await system.query('update session set last_seen_at = now() where id = $1', [found.session_id])
    else cache.keep(key, actor, mark, { valid: found.valid_seconds, unnoted: found.unnoted_seconds })
    return actor
  }

/** The columns of a view session that its end is recorded from. */
export interface EndedView {
  user_id: number
  user_name: string
  viewer_id: number
  viewer_name: string
}

/** Ends view sessions whose time is over or whose administrator has signed out; their ends are recorded by the caller. */
export const closeOverdueViews = async (trx: Trx): Promise<EndedView[]> => {
  const { rows } = await sql<EndedView>`
    update session s set ended_at = now(), end_reason = 'VIEW_OVER'
    from session o, app_user v, app_user u
    where s.viewer_session_id = o.id and s.ended_at is null and v.id = o.user_id and u.id = s.user_id
      and (s.absolute_expires_at <= now() or o.ended_at is not null)
    returning u.id as user_id, concat_ws(' ', u.first_name, u.last_name) as user_name,
      v.id as viewer_id, concat_ws(' ', v.first_name, v.last_name) as viewer_name`.execute(trx)
  return rows
}

/** Null when the administrator may no longer view as somebody else, or has signed out. */
const viewerOf = ({ userId, firstName, lastName, roleCode, isOver }: NonNullable<SessionRow['viewer']>) => {
  const role = roleOf(roleCode)
  if (isOver || !can(role, 'users.viewAs')) return null
  return { userId, name: actorName({ first_name: firstName, last_name: lastName }), role }
}

/** Ends the matching sessions that are open; their event streams end at once. */
export const closeSessions = async (trx: Trx, reason: string, which: Sql) => {
  const rows = await trx
    .updateTable('session')
    .set({ ended_at: sql<string>`now()`, end_reason: reason })
    .where('ended_at', 'is', null)
    .where(sql<boolean>`(${which})`)
    .returning(['user_id', 'origin'])
    .execute()
  for (const userId of new Set(rows.map(({ user_id }) => user_id)))
    await publish(trx, { topic: sessionTopic, userId, data: {} })
  return rows
}
