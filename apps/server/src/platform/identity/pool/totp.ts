import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import { deriveKey, seal, unseal } from '../../sealing.ts'
import { IdentityError } from '../provider.ts'
import type { PoolContext } from './context.ts'
import { findAccount, type PoolAccount } from './users.ts'

const period = 30
const sealingKey = (pool: PoolContext) => deriveKey(pool.secret, 'identity-totp')
const totp = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret), period, digits: 6, algorithm: 'SHA1' })

/** Gives a new secret for an authenticator app; it counts only after a code from it has been verified. */
export const associateTotp = async (pool: PoolContext, account: PoolAccount): Promise<string> => {
  const secret = new Secret({ size: 20 }).base32
  await pool.db
    .updateTable('identity_user')
    .set({ totp_secret: seal(sealingKey(pool), secret), totp_verified_at: null, totp_last_step: null })
    .where('sub', '=', account.sub)
    .execute()
  return secret
}

export const verifyTotp = async (pool: PoolContext, account: PoolAccount, code: string) => {
  if (!(await acceptCode(pool, account.sub, code, false)))
    throw new IdentityError('EnableSoftwareTokenMFAException', 'Code mismatch')
  await pool.db
    .updateTable('identity_user')
    .set({ totp_verified_at: sql`now()` })
    .where('sub', '=', account.sub)
    .execute()
}

export const isRightTotp = (pool: PoolContext, account: PoolAccount, code: string) =>
  acceptCode(pool, account.sub, code, true)

/** One step of drift either way; a step that was accepted once is never accepted again, nor any before it. */
const acceptCode = (pool: PoolContext, sub: string, code: string, mustBeVerified: boolean): Promise<boolean> =>
  pool.db.transaction().execute(async (trx) => {
    const user = await trx
      .selectFrom('identity_user')
      .select(['totp_secret', 'totp_last_step', 'totp_verified_at'])
      .where('sub', '=', sub)
      .forUpdate()
      .executeTakeFirst()
    if (!user?.totp_secret || (mustBeVerified && !user.totp_verified_at) || !/^\d{6}$/.test(code)) return false
    const now = Date.now()
    const drift = totp(unseal(sealingKey(pool), user.totp_secret)).validate({ token: code, timestamp: now, window: 1 })
    if (drift === null) return false
    const step = Math.floor(now / 1000 / period) + drift
    if (user.totp_last_step !== null && step <= user.totp_last_step) return false
    await trx.updateTable('identity_user').set({ totp_last_step: step }).where('sub', '=', sub).execute()
    return true
  })

/** Makes an authenticator app the second factor of an account whose owner cannot get a code by SMS. Gives what the app reads. */
export const switchToAuthenticator = async (pool: PoolContext, userName: string): Promise<string> => {
  const account = await findAccount(pool.db, userName)
  if (!account) throw new IdentityError('UserNotFoundException', 'User does not exist.')
  const secret = await associateTotp(pool, account)
  await pool.db
    .updateTable('identity_user')
    .set({ mfa_preference: 'TOTP', totp_verified_at: sql`now()` })
    .where('sub', '=', account.sub)
    .execute()
  return authenticatorLink(userName, secret)
}

/** The address that authenticator apps read, as text or as a QR code. */
export const authenticatorLink = (userName: string, secret: string) =>
  new TOTP({
    issuer: 'LIS',
    label: userName,
    secret: Secret.fromBase32(secret),
    period,
    digits: 6,
    algorithm: 'SHA1',
  }).toString()
