import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import { IdentityError, type IdentityProvider } from '../provider.ts'
import { changeOwnPassword } from './account.ts'
import { clientId, type PoolContext, region } from './context.ts'
import { forgetAttempts } from './locks.ts'
import { hashPassword, storePassword } from './passwords.ts'
import { beginReset, checkResetLink, confirmResetCode, finishResetByLink, sendResetLink } from './reset.ts'
import { signIn } from './sign-in.ts'
import { revokeAll, revokeFamily, type SignOutReason, verifyAccessToken } from './tokens.ts'
import { forgetAuthenticator } from './totp.ts'
import { findAccount } from './users.ts'

/** The embedded pool as the server itself uses it. */
export const embeddedProvider = (pool: PoolContext): IdentityProvider => {
  const subOf = async (db: Db, userName: string) => {
    const account = await findAccount(db, userName)
    if (!account) throw new IdentityError('UserNotFoundException', 'User does not exist.')
    return account.sub
  }
  const endAll = (reason: SignOutReason) => async (db: Db, userName: string) =>
    revokeAll(db, await subOf(db, userName), reason)
  return {
    publicSettings: { endpoint: '/idp', clientId, region },
    verifyAccessToken: (token) => verifyAccessToken(pool, token),
    signInDirectly: async (userName, password, origin) => {
      const account = await findAccount(pool.db, userName)
      // The password of a person with a second factor is not even looked at here: this door must not help to guess it.
      const step = await signIn(pool, account?.mfa === 'OFF' ? userName : '', password, origin)
      return 'AuthenticationResult' in step ? step.AuthenticationResult.AccessToken : null
    },
    createUser: async (db, { userId, temporaryPassword }) => {
      const passwordHash = await hashPassword(temporaryPassword)
      const { sub } = await db
        .insertInto('identity_user')
        .values({ user_id: userId })
        .returning('sub')
        .executeTakeFirstOrThrow()
      await storePassword(db, sub, passwordHash, pool.temporaryPasswordDays)
      return { sub }
    },
    setPassword: async (db, userName, password, permanent) => {
      const days = permanent ? null : pool.temporaryPasswordDays
      await storePassword(db, await subOf(db, userName), await hashPassword(password), days)
    },
    // Codes and mails go where the user record says.
    updateContact: async () => undefined,
    // Whether an account is enabled is the user record's own status, which every check here reads.
    enableUser: async () => undefined,
    disableUser: endAll('DISABLED'),
    deleteUser: endAll('DELETED'),
    // Password and second factor stay with the user record, which every check here reads.
    restoreUser: async () => ({ isNew: false }),
    forgetAttempts,
    sendCodesBySms: async (db, userName) => forgetAuthenticator(db, await subOf(db, userName)),
    signOutEverywhere: endAll('SIGN_OUT'),
    revoke: (db, origin) => revokeFamily(db, origin),
    passwordSetAt: async (db, userName) => {
      const { rows } = await sql<{ at: string | null }>`
        select i.password_set_at as at from identity_user i join app_user u on u.id = i.user_id
        where u.user_name = ${userName} and u.deleted_at is null`.execute(db)
      return rows[0]?.at ? new Date(rows[0].at) : null
    },
    sendResetLink: (userName, asker) => sendResetLink(pool, userName, asker),
    checkResetLink: (token) => checkResetLink(pool, token),
    beginReset: (reset, origin) => beginReset(pool, reset, origin),
    finishReset: (reset, origin) => finishResetByLink(pool, reset, origin),
    confirmForgotPassword: (userName, code, newPassword, origin) =>
      confirmResetCode(pool, userName, code, newPassword, origin),
    changePassword: (accessToken, current, next, origin) => changeOwnPassword(pool, accessToken, current, next, origin),
  }
}
