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

// Two tabs may send the same refresh token at the same time. Within this time that is a race, later it is theft.
const raceSeconds = 15

const hash = (token: string) => createHash('sha256').update(token).digest()

/** The tokens of a new sign-in: a new family. */
export const issueTokens = async (pool: PoolContext, user: PoolUser): Promise<AuthenticationResult> => {
  const key = await signingKey(pool)
  const grant: Grant = { user, family: randomUUID(), authTime: new Date(), refreshToken: newRefreshToken() }
  await storeRefreshToken(pool, pool.db, grant)
  return sign(pool, key, grant)
}

/** The user and sign-in that tokens are issued for. */
interface Grant {
  user: PoolUser
  family: string
  authTime: Date
  refreshToken: string
}

const newRefreshToken = () => randomBytes(48).toString('base64url')

const storeRefreshToken = (pool: PoolContext, db: Db, { user, family, authTime, refreshToken }: Grant) =>
  db
    .insertInto('identity_refresh_token')
    .values({
      token_hash: hash(refreshToken),
      family,
      sub: user.sub,
      auth_time: authTime.toISOString(),
      // Refreshing does not extend the life of the sign-in.
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

/** Exchanges a refresh token for new tokens. The old one becomes invalid; used again later, it revokes the whole family. */
export const refreshTokens = async (pool: PoolContext, token: string): Promise<AuthenticationResult> => {
  // Before the transaction: inside it would need a second connection, and concurrent renewals could deadlock.
  const key = await signingKey(pool)
  const grant = await pool.db.transaction().execute(async (trx): Promise<Grant | { stolen: string } | null> => {
    const found = await trx
      .selectFrom('identity_refresh_token as t')
      .innerJoin('identity_user as i', 'i.sub', 't.sub')
      .innerJoin('app_user as u', 'u.id', 'i.user_id')
      .select(['t.family', 't.auth_time', 't.sub', 'u.user_name', 'u.email', 'u.phone'])
      .select(({ eb, or }) => [
        or([
          eb('t.revoked_at', 'is not', null),
          eb('t.expires_at', '<=', sql<string>`now()`),
          eb('u.status_code', '<>', 'ACT'),
          eb('u.deleted_at', 'is not', null),
        ]).as('is_invalid'),
        eb.fn
          .coalesce(
            eb('t.replaced_at', '<', sql<string>`now() - make_interval(secs => ${raceSeconds})`),
            sql.lit(false),
          )
          .as('is_replay'),
      ])
      .where('t.token_hash', '=', hash(token))
      .forUpdate('t')
      .executeTakeFirst()
    if (!found || found.is_invalid) return null
    if (found.is_replay) return { stolen: found.family }
    const next = newRefreshToken()
    await trx
      .updateTable('identity_refresh_token')
      .set({ replaced_by: hash(next), replaced_at: sql`coalesce(replaced_at, now())` })
      .where('token_hash', '=', hash(token))
      .execute()
    const user: PoolUser = { sub: found.sub, userName: found.user_name, email: found.email, phone: found.phone }
    const renewed: Grant = { user, family: found.family, authTime: new Date(found.auth_time), refreshToken: next }
    await storeRefreshToken(pool, trx, renewed)
    return renewed
  })
  // After the transaction, which locks the token: ending a sign-in locks its session first.
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

/** The reason that is stored with an ended session. */
export type SignOutReason = 'SIGN_OUT' | 'PASSWORD_CHANGED' | 'PASSWORD_RESET' | 'DISABLED' | 'DELETED'

/** Ends every sign-in of the account with its session, except the family `except`. */
export const revokeAll = (db: Db, sub: string, reason: SignOutReason, except: string | null = null) =>
  inTransaction(db, async (trx) => {
    await closeSessions(
      trx,
      reason,
      sql`origin is distinct from ${except} and user_id = (select user_id from identity_user where sub = ${sub})`,
    )
    await trx
      .updateTable('identity_refresh_token')
      .set({ revoked_at: sql`now()` })
      .where('sub', '=', sub)
      .where(sql<boolean>`family is distinct from ${except}::uuid`)
      .where('revoked_at', 'is', null)
      .execute()
  })

/** Verifies an access token: our signature, algorithm and client, not expired, and its sign-in not ended. */
export const verifyAccessToken = async (pool: PoolContext, token: string): Promise<VerifiedIdentity> => {
  const invalidToken = () => new IdentityError('NotAuthorizedException', 'Invalid Access Token')
  const { payload } = await jwtVerify(token, createLocalJWKSet(await publicKeys(pool)), {
    algorithms: [algorithm],
    issuer: pool.issuer,
  }).catch(() => {
    throw invalidToken()
  })
  const { sub, username, origin_jti: origin, auth_time: authTime } = payload as Record<string, unknown>
  const isComplete =
    typeof sub === 'string' &&
    typeof username === 'string' &&
    typeof origin === 'string' &&
    typeof authTime === 'number'
  if (!isComplete || payload.token_use !== 'access' || payload.client_id !== clientId) throw invalidToken()
  const active = await pool.db
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
  if (!active) throw new IdentityError('NotAuthorizedException', 'Access Token has been revoked')
  return { sub, userName: username, origin, authTime: new Date(authTime * 1000) }
}
