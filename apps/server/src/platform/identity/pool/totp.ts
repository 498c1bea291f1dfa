import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import type { Db, Trx } from '../../db/db.ts'
import { decrypt, deriveKey, encrypt } from '../../encryption.ts'
import { IdentityError } from '../provider.ts'
import type { PoolContext } from './context.ts'
import { findAccount, type PoolAccount } from './users.ts'

const period = 30
const sealingKey = (pool: PoolContext) => deriveKey(pool.secret, 'identity-totp')
const totp = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret), period, digits: 6, algorithm: 'SHA1' })

/** Gives a new secret for an authenticator app. It waits for its first right code; until then the one before it goes on working. */
export const associateTotp = async (pool: PoolContext, account: PoolAccount): Promise<string> => {
  const secret = newSecret()
  await pool.db
    .updateTable('identity_user')
    .set({ totp_pending_secret: encrypt(sealingKey(pool), secret) })
    .where('sub', '=', account.sub)
    .execute()
  return secret
}

const newSecret = () => new Secret({ size: 20 }).base32

/** A right code of the new app puts it in the place of the old one. Without a new app the code is that of the present one. */
export const verifyTotp = (pool: PoolContext, account: PoolAccount, code: string): Promise<boolean> =>
  pool.db.transaction().execute(async (trx) => {
    const user = await lockSecrets(trx, account.sub)
    const secret = user?.totp_pending_secret ?? user?.totp_secret
    const lastStep = user?.totp_pending_secret ? null : user?.totp_last_step
    const step = secret && stepOf(pool, secret, lastStep, code)
    if (!step) return false
    await keepSecret(trx, account.sub, secret, step)
    return true
  })

const keepSecret = (db: Db, sub: string, secret: Buffer, lastStep: number | null) =>
  db
    .updateTable('identity_user')
    .set({ totp_secret: secret, totp_pending_secret: null, totp_verified_at: sql`now()`, totp_last_step: lastStep })
    .where('sub', '=', sub)
    .execute()

export const isRightTotp = (pool: PoolContext, account: PoolAccount, code: string): Promise<boolean> =>
  pool.db.transaction().execute(async (trx) => {
    const user = await lockSecrets(trx, account.sub)
    if (!user?.totp_secret || !user.totp_verified_at) return false
    const step = stepOf(pool, user.totp_secret, user.totp_last_step, code)
    if (!step) return false
    await trx.updateTable('identity_user').set({ totp_last_step: step }).where('sub', '=', account.sub).execute()
    return true
  })

const lockSecrets = (trx: Trx, sub: string) =>
  trx
    .selectFrom('identity_user')
    .select(['totp_secret', 'totp_pending_secret', 'totp_last_step', 'totp_verified_at'])
    .where('sub', '=', sub)
    .forUpdate()
    .executeTakeFirst()

/** One step of drift either way; a step that was accepted once is never accepted again, nor any before it: then, and for a wrong code, null. */
const stepOf = (
  pool: PoolContext,
  sealed: Buffer,
  lastStep: number | null | undefined,
  code: string,
): number | null => {
  if (!/^\d{6}$/.test(code)) return null
  const now = Date.now()
  const drift = totp(decrypt(sealingKey(pool), sealed)).validate({ token: code, timestamp: now, window: 1 })
  if (drift === null) return null
  const step = Math.floor(now / 1000 / period) + drift
  return step > (lastStep ?? 0) ? step : null
}

/** Makes an authenticator app the second factor of an account whose owner cannot get a code by SMS. Gives what the app reads. */
export const switchToAuthenticator = async (pool: PoolContext, userName: string): Promise<string> => {
  const account = await findAccount(pool.db, userName)
  if (!account) throw new IdentityError('UserNotFoundException', 'User does not exist.')
  const secret = newSecret()
  await keepSecret(pool.db, account.sub, encrypt(sealingKey(pool), secret), null)
  await pool.db.updateTable('identity_user').set({ mfa_preference: 'TOTP' }).where('sub', '=', account.sub).execute()
  return authenticatorLink(userName, secret)
}

/** Codes by SMS again, for somebody whose app is lost. An account without a second factor stays without, and is told so. */
export const forgetAuthenticator = async (db: Db, sub: string) => {
  const { numUpdatedRows } = await db
    .updateTable('identity_user')
    .set({
      mfa_preference: 'SMS',
      totp_secret: null,
      totp_pending_secret: null,
      totp_verified_at: null,
      totp_last_step: null,
    })
    .where('sub', '=', sub)
    .where('mfa_preference', '<>', 'OFF')
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n)
    throw new IdentityError('InvalidParameterException', 'This account signs in without a second factor')
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
