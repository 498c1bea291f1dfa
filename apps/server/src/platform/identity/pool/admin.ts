import { sql } from 'kysely'
import { z } from 'zod'
import { IdentityError } from '../provider.ts'
import type { PoolContext } from './context.ts'
import { hashPassword, requireGoodPassword, storePassword } from './passwords.ts'
import { sendResetCode } from './reset.ts'
import { revokeAll } from './tokens.ts'
import { forgetAuthenticator } from './totp.ts'
import { findAccount, type PoolAccount } from './users.ts'

export const attributes = z.array(z.object({ Name: z.string().max(64), Value: z.string().max(2048) })).max(50)

const accountNamed = async (pool: PoolContext, userName: string): Promise<PoolAccount> => {
  const account = await findAccount(pool.db, userName)
  if (!account) throw new IdentityError('UserNotFoundException', 'User does not exist.')
  return account
}

/** Makes an account as a guest: what it may do in the product is decided by the product's own user record. */
export const adminCreateUser = async (
  pool: PoolContext,
  userName: string,
  password: string,
  given: z.infer<typeof attributes>,
) => {
  if (await findAccount(pool.db, userName))
    throw new IdentityError('UsernameExistsException', 'User account already exists')
  const value = (name: string) => given.find((attribute) => attribute.Name === name)?.Value ?? ''
  const passwordHash = await hashPassword(password)
  const sub = await pool.db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('app_user')
      .values({
        user_name: userName,
        first_name: value('given_name') || userName,
        last_name: value('family_name') || userName,
        email: value('email'),
        phone: value('phone_number').replace(/\D/g, ''),
        role_code: 'GST',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const user = await trx
      .insertInto('identity_user')
      .values({ user_id: id })
      .returning('sub')
      .executeTakeFirstOrThrow()
    await storePassword(trx, user.sub, passwordHash, pool.temporaryPasswordDays)
    return user.sub
  })
  return {
    User: {
      Username: userName,
      Attributes: [{ Name: 'sub', Value: sub }],
      Enabled: true,
      UserStatus: 'FORCE_CHANGE_PASSWORD',
    },
  }
}

/** Mail address and phone; whether they are verified is taken as said, and nothing else is kept here. */
export const adminUpdateAttributes = async (pool: PoolContext, userName: string, given: z.infer<typeof attributes>) => {
  const account = await accountNamed(pool, userName)
  const value = (name: string) => given.find((attribute) => attribute.Name === name)?.Value
  await pool.db
    .updateTable('app_user')
    .set({
      email: value('email') ?? account.email,
      phone: value('phone_number')?.replace(/\D/g, '') ?? account.phone,
      version: sql<number>`version + 1`,
    })
    .where('id', '=', account.userId)
    .execute()
}

export const adminSetPassword = async (pool: PoolContext, userName: string, password: string, permanent: boolean) => {
  const account = await accountNamed(pool, userName)
  if (permanent) await requireGoodPassword(pool, account, password)
  const passwordHash = await hashPassword(password)
  await pool.db.transaction().execute(async (trx) => {
    await revokeAll(trx, account.sub, 'PASSWORD_RESET')
    await storePassword(trx, account.sub, passwordHash, permanent ? null : pool.temporaryPasswordDays)
  })
}

export const adminSetEnabled = async (pool: PoolContext, userName: string, isEnabled: boolean) => {
  const account = await accountNamed(pool, userName)
  await pool.db
    .updateTable('app_user')
    .set({ status_code: isEnabled ? 'ACT' : 'LCK' })
    .where('id', '=', account.userId)
    .execute()
  if (!isEnabled) await revokeAll(pool.db, account.sub, 'DISABLED')
}

export const adminDeleteUser = async (pool: PoolContext, userName: string) => {
  const account = await accountNamed(pool, userName)
  await revokeAll(pool.db, account.sub, 'DELETED')
  await pool.db
    .updateTable('app_user')
    .set({ deleted_at: sql<string>`now()` })
    .where('id', '=', account.userId)
    .execute()
}

export const adminResetPassword = async (pool: PoolContext, userName: string) => {
  await accountNamed(pool, userName)
  await sendResetCode(pool, userName, null)
}

export const adminGetUser = async (pool: PoolContext, userName: string) => {
  const account = await accountNamed(pool, userName)
  return {
    Username: account.userName,
    Enabled: account.isActive,
    UserStatus: account.isTemporary ? 'FORCE_CHANGE_PASSWORD' : 'CONFIRMED',
    UserAttributes: [
      { Name: 'sub', Value: account.sub },
      { Name: 'email', Value: account.email },
      { Name: 'phone_number', Value: `+${account.phone}` },
    ],
  }
}

/** SMS alone: an authenticator app is set up by its owner. */
export const adminPreferSms = async (pool: PoolContext, userName: string, isSmsPreferred: boolean) => {
  if (!isSmsPreferred)
    throw new IdentityError('InvalidParameterException', 'Only SMS can be preferred for somebody else')
  await forgetAuthenticator(pool.db, (await accountNamed(pool, userName)).sub)
}

export const adminSignOut = async (pool: PoolContext, userName: string) =>
  revokeAll(pool.db, (await accountNamed(pool, userName)).sub, 'SIGN_OUT')
