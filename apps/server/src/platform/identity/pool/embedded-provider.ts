import type { Db } from '../../db/db.ts'
import { IdentityError, type IdentityProvider } from '../provider.ts'
import { changeOwnPassword } from './account.ts'
import { clientId, type PoolContext, region } from './context.ts'
import { forgetAttempts } from './locks.ts'
import { hashPassword, matchesPassword, storePassword } from './passwords.ts'
import { beginReset, checkResetLink, confirmResetCode, finishResetByLink, sendResetLink } from './reset.ts'
import { signIn } from './sign-in.ts'
import { revokeAll, revokeFamily, type SignOutReason, verifyAccessToken } from './tokens.ts'
import { isRightTotp, removeAuthenticator } from './totp.ts'
import { findAccount } from './users.ts'

/** The embedded pool as an `IdentityProvider`. */
export const embeddedProvider = (pool: PoolContext): IdentityProvider => {
  const subOf = async (db: Db, userName: string) => {
    const account = await findAccount(db, userName)
    if (!account) throw new IdentityError('UserNotFoundException', 'User does not exist.')
    return account.sub
  }
  const signOut = (reason: SignOutReason) => async (db: Db, userName: string) =>
    revokeAll(db, await subOf(db, userName), reason)
  return {
    publicSettings: { endpoint: '/idp', clientId, region },
    verifyAccessToken: (token) => verifyAccessToken(pool, token),
    signInDirectly: async (userName, password, origin) => {
      const account = await findAccount(pool.db, userName)
      // The password of an account with a second factor is not checked here, so that this call does not help to guess it.
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
    // The pool reads the contact from the user record.
    updateContact: async () => undefined,
    // The pool reads the status from the user record.
    enableUser: async () => undefined,
    disableUser: signOut('DISABLED'),
    deleteUser: signOut('DELETED'),
    // Password and second factor are still stored.
    restoreUser: async () => ({ isNew: false }),
    forgetAttempts,
    sendCodesBySms: async (db, userName) => removeAuthenticator(db, await subOf(db, userName)),
    signOutEverywhere: signOut('SIGN_OUT'),
    revoke: (db, origin) => revokeFamily(db, origin),
    passwordSetAt: async (db, userName) => {
      const user = await db
        .selectFrom('identity_user as i')
        .innerJoin('app_user as u', 'u.id', 'i.user_id')
        .select('i.password_set_at')
        .where('u.user_name', '=', userName)
        .where('u.deleted_at', 'is', null)
        .executeTakeFirst()
      return user?.password_set_at ? new Date(user.password_set_at) : null
    },
    sendResetLink: (userName, requestedFrom) => sendResetLink(pool, userName, requestedFrom),
    checkResetLink: (token) => checkResetLink(pool, token),
    beginReset: (reset, origin) => beginReset(pool, reset, origin),
    finishReset: (reset, origin) => finishResetByLink(pool, reset, origin),
    confirmForgotPassword: (userName, code, newPassword, origin) =>
      confirmResetCode(pool, userName, code, newPassword, origin),
    secondFactorOf: async (db, userName) => (await findAccount(db, userName))?.mfa ?? 'OFF',
    isPasswordRight: async (userName, password) => matchesPassword(await findAccount(pool.db, userName), password),
    isAppCodeRight: async (userName, _, code) => {
      const account = await findAccount(pool.db, userName)
      return account !== undefined && isRightTotp(pool, account, code)
    },
    changePassword: (accessToken, current, next, origin) => changeOwnPassword(pool, accessToken, current, next, origin),
  }
}
