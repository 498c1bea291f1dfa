import { sql } from 'kysely'
import { Secret, TOTP } from 'otpauth'
import type { Db, Trx } from '../../db/db.ts'
import { decrypt, deriveKey, encrypt } from '../../encryption.ts'
import { IdentityError } from '../provider.ts'
import type { PoolContext } from './context.ts'
import { findAccount, type PoolAccount } from './users.ts'

const period = 30
const encryptionKey = (pool: PoolContext) => deriveKey(pool.secret, 'identity-totp')
const totp = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret), period, digits: 6, algorithm: 'SHA1' })

/** Creates a secret for an authenticator app. It is pending until its first right code; until then the previous one still works. */
export const associateTotp = async (pool: PoolContext, account: PoolAccount): Promise<string> => {
  const secret = newSecret()
  await pool.db
    .updateTable('identity_user')
    .set({ totp_pending_secret: encrypt(encryptionKey(pool), secret) })
    .where('sub', '=', account.sub)
    .execute()
  return secret
}

const newSecret = () => new Secret({ size: 20 }).base32

/** A right code of the pending secret makes it the current one. Without a pending secret the code is checked against the current one. */
export const verifyTotp = (pool: PoolContext, account: PoolAccount, code: string): Promise<boolean> =>
  pool.db.transaction().execute(async (trx) => {
    const user = await lockSecrets(trx, account.sub)
    const secret = user?.totp_pending_secret ?? user?.totp_secret
    const lastStep = user?.totp_pending_secret ? null : user?.totp_last_step
    const step = secret && findStep(pool, secret, lastStep, code)
    if (!step) return false
    await storeSecret(trx, account.sub, secret, step)
    return true
  })

const storeSecret = (db: Db, sub: string, secret: Buffer, lastStep: number | null) =>
  db
    .updateTable('identity_user')
    .set({ totp_secret: secret, totp_pending_secret: null, totp_verified_at: sql`now()`, totp_last_step: lastStep })
    .where('sub', '=', sub)
    .execute()

export const isRightTotp = (pool: PoolContext, account: PoolAccount, code: string): Promise<boolean> =>
  pool.db.transaction().execute(async (trx) => {
    const user = await lockSecrets(trx, account.sub)
    if (!user?.totp_secret || !user.totp_verified_at) return false
    const step = findStep(pool, user.totp_secret, user.totp_last_step, code)
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

/** The time step of a right code, or null. One step of drift either way; an accepted step and those before it are never accepted again. */
const findStep = (
  pool: PoolContext,
  sealed: Buffer,
  lastStep: number | null | undefined,
  code: string,
): number | null => {
  if (!/^\d{6}$/.test(code)) return null
  const now = Date.now()
  const drift = totp(decrypt(encryptionKey(pool), sealed)).validate({ token: code, timestamp: now, window: 1 })
  if (drift === null) return null
  const step = Math.floor(now / 1000 / period) + drift
  return step > (lastStep ?? 0) ? step : null
}

/** Makes an authenticator app the second factor of an account that cannot get codes by SMS. Returns the link for the app. */
export const switchToAuthenticator = async (pool: PoolContext, userName: string): Promise<string> => {
  const account = await findAccount(pool.db, userName)
  if (!account) throw new IdentityError('UserNotFoundException', 'User does not exist.')
  const secret = newSecret()
  await storeSecret(pool.db, account.sub, encrypt(encryptionKey(pool), secret), null)
  await pool.db.updateTable('identity_user').set({ mfa_preference: 'TOTP' }).where('sub', '=', account.sub).execute()
  return authenticatorLink(userName, secret)
}

/** Switches back to codes by SMS, for a lost app. Throws for an account without a second factor. */
export const removeAuthenticator = async (db: Db, sub: string) => {
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

/** The otpauth URL that authenticator apps read, as text or as a QR code. */
const authenticatorLink = (userName: string, secret: string) =>
  new TOTP({
    issuer: 'LIS',
    label: userName,
    secret: Secret.fromBase32(secret),
    period,
    digits: 6,
    algorithm: 'SHA1',
  }).toString()
