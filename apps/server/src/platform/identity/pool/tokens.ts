import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import { sql } from 'kysely'
import { closeSessions } from '../../auth/sessions.ts'
import { type Db, inTransaction } from '../../db/db.ts'
import { IdentityError, type VerifiedIdentity } from '../provider.ts'
import { clientId, type PoolContext } from './context.ts'
import { algorithm, publicKeys, type SigningKey, signingKey } from './keys.ts'
import type { PoolUser } from './users.ts'

export interface AuthenticationResult {
  AccessToken: string
  IdToken: string
  RefreshToken: string
  ExpiresIn: number
  TokenType: 'Bearer'
}

// Two tabs may send the same refresh token at the same moment. Within this time that is a race, later it is theft.
const raceSeconds = 15

const hash = (token: string) => createHash('sha256').update(token).digest()

/** Tokens of a fresh sign-in: a new family. */
export const issueTokens = async (pool: PoolContext, user: PoolUser): Promise<AuthenticationResult> => {
  const key = await signingKey(pool)
  const grant: Grant = { user, family: randomUUID(), authTime: new Date(), refreshToken: newRefreshToken() }
  await keepRefreshToken(pool, pool.db, grant)
  return sign(pool, key, grant)
}

/** Who gets tokens, by which sign-in. */
interface Grant {
  user: PoolUser
  family: string
  authTime: Date
  refreshToken: string
}

const newRefreshToken = () => randomBytes(48).toString('base64url')

const keepRefreshToken = (pool: PoolContext, db: Db, { user, family, authTime, refreshToken }: Grant) =>
  db
    .insertInto('identity_refresh_token')
    .values({
      token_hash: hash(refreshToken),
      family,
      sub: user.sub,
      auth_time: authTime.toISOString(),
      // All refreshes together end with the sign-in they began with.
      expires_at: new Date(authTime.getTime() + pool.refreshTokenSeconds * 1000).toISOString(),
    })
    .execute()

const sign = async (
  pool: PoolContext,
  { kid, key }: SigningKey,
  { user, family, authTime, refreshToken }: Grant,
): Promise<AuthenticationResult> => {
  const signed = (claims: Record<string, unknown>, audience?: string) => {
    const jwt = new SignJWT({ ...claims, auth_time: Math.floor(authTime.getTime() / 1000), origin_jti: family })
      .setProtectedHeader({ alg: algorithm, kid })
      .setSubject(user.sub)
      .setIssuer(pool.issuer)
      .setIssuedAt()
      .setJti(randomUUID())
      .setExpirationTime(`${pool.accessTokenSeconds}s`)
    return (audience ? jwt.setAudience(audience) : jwt).sign(key)
  }
  return {
    AccessToken: await signed({
      token_use: 'access',
      username: user.userName,
      client_id: clientId,
      scope: 'aws.cognito.signin.user.admin',
    }),
    IdToken: await signed({ token_use: 'id', 'cognito:username': user.userName, email: user.email }, clientId),
    RefreshToken: refreshToken,
    ExpiresIn: pool.accessTokenSeconds,
    TokenType: 'Bearer',
  }
}

/** Trades a refresh token for new tokens. The old one dies; seen again later, it ends the whole family. */
export const refreshTokens = async (pool: PoolContext, token: string): Promise<AuthenticationResult> => {
  // Before the transaction: asked for inside, it takes a second connection, and a few renewals at once wait for one another's for ever.
  const key = await signingKey(pool)
  const grant = await pool.db.transaction().execute(async (trx): Promise<Grant | { stolen: string } | null> => {
    const { rows } = await sql<{
      family: string
      auth_time: string
      is_dead: boolean
      is_replay: boolean
      sub: string
      user_name: string
      email: string
      phone: string
    }>`
      select t.family, t.auth_time, t.sub, u.user_name, u.email, u.phone,
        t.revoked_at is not null or t.expires_at <= now() or u.status_code <> 'ACT' or u.deleted_at is not null as is_dead,
        coalesce(t.replaced_at < now() - make_interval(secs => ${raceSeconds}), false) as is_replay
      from identity_refresh_token t join identity_user i on i.sub = t.sub join app_user u on u.id = i.user_id
      where t.token_hash = ${hash(token)} for update of t`.execute(trx)
    const found = rows[0]
    if (!found || found.is_dead) return null
    if (found.is_replay) return { stolen: found.family }
    const next = newRefreshToken()
    await sql`update identity_refresh_token set replaced_by = ${hash(next)}, replaced_at = coalesce(replaced_at, now()) where token_hash = ${hash(token)}`.execute(
      trx,
    )
    const user: PoolUser = { sub: found.sub, userName: found.user_name, email: found.email, phone: found.phone }
    const renewed: Grant = { user, family: found.family, authTime: new Date(found.auth_time), refreshToken: next }
    await keepRefreshToken(pool, trx, renewed)
    return renewed
  })
  // After the transaction, which holds the token: everybody who ends a sign-in locks its session first.
  if (grant && 'stolen' in grant) await revokeFamily(pool.db, grant.stolen)
  if (!grant || 'stolen' in grant) throw new IdentityError('NotAuthorizedException', 'Refresh Token has expired')
  return sign(pool, key, grant)
}

/** Ends one sign-in, and the session that it opened. */
export const revokeFamily = (db: Db, family: string) =>
  inTransaction(db, async (trx) => {
    await closeSessions(trx, 'SIGN_OUT', sql`origin = ${family}`)
    await trx
      .updateTable('identity_refresh_token')
      .set({ revoked_at: sql`now()` })
      .where('family', '=', family)
      .where('revoked_at', 'is', null)
      .execute()
  })

export const revokeByToken = async (db: Db, token: string) => {
  const found = await db
    .selectFrom('identity_refresh_token')
    .select('family')
    .where('token_hash', '=', hash(token))
    .executeTakeFirst()
  if (found) await revokeFamily(db, found.family)
}

/** What sessions keep as the reason of their end. */
export type SignOutReason = 'SIGN_OUT' | 'PASSWORD_CHANGED' | 'PASSWORD_RESET' | 'DISABLED' | 'DELETED'

/** Ends every sign-in of the account with its session, but the one that is to stay. */
export const revokeAll = (db: Db, sub: string, reason: SignOutReason, but: string | null = null) =>
  inTransaction(db, async (trx) => {
    await closeSessions(
      trx,
      reason,
      sql`origin is distinct from ${but} and user_id = (select user_id from identity_user where sub = ${sub})`,
    )
    await trx
      .updateTable('identity_refresh_token')
      .set({ revoked_at: sql`now()` })
      .where('sub', '=', sub)
      .where(sql<boolean>`family is distinct from ${but}::uuid`)
      .where('revoked_at', 'is', null)
      .execute()
  })

/** Reads an access token: our signature, our algorithm, our client, not run out, and its sign-in not ended. */
export const verifyAccessToken = async (pool: PoolContext, token: string): Promise<VerifiedIdentity> => {
  const refused = () => new IdentityError('NotAuthorizedException', 'Invalid Access Token')
  const { payload } = await jwtVerify(token, createLocalJWKSet(await publicKeys(pool)), {
    algorithms: [algorithm],
    issuer: pool.issuer,
  }).catch(() => {
    throw refused()
  })
  const { sub, username, origin_jti: origin, auth_time: authTime } = payload as Record<string, unknown>
  const isWhole =
    typeof sub === 'string' &&
    typeof username === 'string' &&
    typeof origin === 'string' &&
    typeof authTime === 'number'
  if (!isWhole || payload.token_use !== 'access' || payload.client_id !== clientId) throw refused()
  const alive = await pool.db
    .selectFrom('identity_refresh_token as t')
    .innerJoin('identity_user as i', 'i.sub', 't.sub')
    .innerJoin('app_user as u', 'u.id', 'i.user_id')
    .select('t.family')
    .where('t.family', '=', origin)
    .where('t.sub', '=', sub)
    .where('t.revoked_at', 'is', null)
    .where('u.deleted_at', 'is', null)
    .where('u.status_code', '=', 'ACT')
    .limit(1)
    .executeTakeFirst()
  if (!alive) throw new IdentityError('NotAuthorizedException', 'Access Token has been revoked')
  return { sub, userName: username, origin, authTime: new Date(authTime * 1000) }
}
