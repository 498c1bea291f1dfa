import { sql } from 'kysely'
import { IdentityError, type IdentityProvider } from '../provider.ts'
import { changeOwnPassword } from './account.ts'
import { clientId, type PoolContext, region } from './context.ts'
import { hashPassword, storePassword } from './passwords.ts'
import { confirmResetCode, sendResetLink } from './reset.ts'
import { signIn } from './sign-in.ts'
import { revokeAll, revokeFamily, verifyAccessToken } from './tokens.ts'
import { findAccount } from './users.ts'

const server = { ip: '127.0.0.1', userAgent: 'server' }

/** The embedded pool as the server itself uses it. */
export const embeddedProvider = (pool: PoolContext): IdentityProvider => {
  const accountNamed = async (userName: string) => {
    const account = await findAccount(pool.db, userName)
    if (!account) throw new IdentityError('UserNotFoundException', 'User does not exist.')
    return account
  }
  return {
    publicSettings: { endpoint: '/idp', clientId, region },
    verifyAccessToken: (token) => verifyAccessToken(pool, token),
    signInDirectly: async (userName, password, origin) => {
      const account = await findAccount(pool.db, userName)
      // The password of a person with a second factor is not even looked at here: this door must not help to guess it.
      const step = await signIn(pool, account?.mfa === 'OFF' ? userName : '', password, origin)
      return 'AuthenticationResult' in step ? step.AuthenticationResult.AccessToken : null
    },
    createUser: async ({ userId, temporaryPassword, temporaryDays }) => {
      const passwordHash = await hashPassword(temporaryPassword)
      return pool.db.transaction().execute(async (trx) => {
        const { sub } = await trx
          .insertInto('identity_user')
          .values({ user_id: userId })
          .returning('sub')
          .executeTakeFirstOrThrow()
        await storePassword(trx, sub, passwordHash, temporaryDays)
        return { sub }
      })
    },
    setPassword: async (userName, password, permanent) => {
      const { sub } = await accountNamed(userName)
      const passwordHash = await hashPassword(password)
      await pool.db.transaction().execute((trx) => storePassword(trx, sub, passwordHash, permanent ? null : 7))
    },
    // Whether an account is enabled is the user record's own status, which every check here reads.
    enableUser: async () => undefined,
    disableUser: async (userName) => revokeAll(pool.db, (await accountNamed(userName)).sub),
    deleteUser: async (userName) => revokeAll(pool.db, (await accountNamed(userName)).sub),
    forgotPassword: (userName) => sendResetLink(pool, userName, server),
    confirmForgotPassword: (userName, code, newPassword) => confirmResetCode(pool, userName, code, newPassword, server),
    changePassword: (accessToken, current, next) => changeOwnPassword(pool, accessToken, current, next, server),
    signOutEverywhere: async (userName) => revokeAll(pool.db, (await accountNamed(userName)).sub),
    revoke: (origin) => revokeFamily(pool.db, origin),
    passwordSetAt: async (userName) => {
      const { rows } = await sql<{ at: string | null }>`
        select i.password_set_at as at from identity_user i join app_user u on u.id = i.user_id
        where u.user_name = ${userName} and u.deleted_at is null`.execute(pool.db)
      return rows[0]?.at ? new Date(rows[0].at) : null
    },
  }
}
