import { sql } from 'kysely'
import { z } from 'zod'
import type { PoolContext } from '../../src/platform/identity/pool/context.ts'
import { hashPassword, requireGoodPassword, storePassword } from '../../src/platform/identity/pool/passwords.ts'
import { sendResetCode } from '../../src/platform/identity/pool/reset.ts'
import { revokeAll } from '../../src/platform/identity/pool/tokens.ts'
import { removeAuthenticator } from '../../src/platform/identity/pool/totp.ts'
import { findAccount, type PoolAccount } from '../../src/platform/identity/pool/users.ts'
import { IdentityError } from '../../src/platform/identity/provider.ts'

const attributes = z.array(z.object({ Name: z.string().max(64), Value: z.string().max(2048) })).max(50)

const requireAccount = async (pool: PoolContext, userName: string): Promise<PoolAccount> => {
  const account = await findAccount(pool.db, userName)
  if (!account) throw new IdentityError('UserNotFoundException', 'User does not exist.')
  return account
}

/** Creates the account as a guest, who may do nothing in the product. */
const adminCreateUser = async (
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

/** Stores the mail address and the phone only. */
const adminUpdateAttributes = async (pool: PoolContext, userName: string, given: z.infer<typeof attributes>) => {
  const account = await requireAccount(pool, userName)
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

const adminSetPassword = async (pool: PoolContext, userName: string, password: string, permanent: boolean) => {
  const account = await requireAccount(pool, userName)
  if (permanent) await requireGoodPassword(pool, account, password)
  const passwordHash = await hashPassword(password)
  await pool.db.transaction().execute(async (trx) => {
    await revokeAll(trx, account.sub, 'PASSWORD_RESET')
    await storePassword(trx, account.sub, passwordHash, permanent ? null : pool.temporaryPasswordDays)
  })
}

const adminSetEnabled = async (pool: PoolContext, userName: string, isEnabled: boolean) => {
  const account = await requireAccount(pool, userName)
  await pool.db
    .updateTable('app_user')
    .set({ status_code: isEnabled ? 'ACT' : 'LCK' })
    .where('id', '=', account.userId)
    .execute()
  if (!isEnabled) await revokeAll(pool.db, account.sub, 'DISABLED')
}

const adminDeleteUser = async (pool: PoolContext, userName: string) => {
  const account = await requireAccount(pool, userName)
  await revokeAll(pool.db, account.sub, 'DELETED')
  await pool.db
    .updateTable('app_user')
    .set({ deleted_at: sql<string>`now()` })
    .where('id', '=', account.userId)
    .execute()
}

const adminResetPassword = async (pool: PoolContext, userName: string) => {
  await requireAccount(pool, userName)
  await sendResetCode(pool, userName, null)
}

const adminGetUser = async (pool: PoolContext, userName: string) => {
  const account = await requireAccount(pool, userName)
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

/** Only SMS: an authenticator app is set up by its owner. */
const adminPreferSms = async (pool: PoolContext, userName: string, isSmsPreferred: boolean) => {
  if (!isSmsPreferred)
    throw new IdentityError('InvalidParameterException', 'Only SMS can be preferred for somebody else')
  await removeAuthenticator(pool.db, (await requireAccount(pool, userName)).sub)
}

const adminSignOut = async (pool: PoolContext, userName: string) =>
  revokeAll(pool.db, (await requireAccount(pool, userName)).sub, 'SIGN_OUT')

const ofUser = z.object({ UserPoolId: z.string(), Username: z.string().min(1) })
const mfaChoice = z.object({ Enabled: z.boolean().optional(), PreferredMfa: z.boolean().optional() }).optional()

type Operation = (pool: PoolContext, input: unknown) => Promise<unknown>

const operation =
  <S extends z.ZodType>(schema: S, run: (pool: PoolContext, input: z.output<S>) => Promise<unknown>): Operation =>
  async (pool, input) =>
    (await run(pool, schema.parse(input))) ?? {}

/** The administrative operations of a Cognito pool that `cognitoProvider` calls, on top of the embedded pool. */
export const adminOperations = new Map<string, Operation>(
  Object.entries({
    AdminCreateUser: operation(
      ofUser.extend({ TemporaryPassword: z.string().min(1), UserAttributes: attributes.default([]) }),
      (pool, input) => adminCreateUser(pool, input.Username, input.TemporaryPassword, input.UserAttributes),
    ),
    AdminSetUserPassword: operation(
      ofUser.extend({ Password: z.string().min(1), Permanent: z.boolean().default(false) }),
      (pool, input) => adminSetPassword(pool, input.Username, input.Password, input.Permanent),
    ),
    AdminUpdateUserAttributes: operation(ofUser.extend({ UserAttributes: attributes }), (pool, input) =>
      adminUpdateAttributes(pool, input.Username, input.UserAttributes),
    ),
    AdminEnableUser: operation(ofUser, (pool, input) => adminSetEnabled(pool, input.Username, true)),
    AdminDisableUser: operation(ofUser, (pool, input) => adminSetEnabled(pool, input.Username, false)),
    AdminDeleteUser: operation(ofUser, (pool, input) => adminDeleteUser(pool, input.Username)),
    AdminResetUserPassword: operation(ofUser, (pool, input) => adminResetPassword(pool, input.Username)),
    AdminGetUser: operation(ofUser, (pool, input) => adminGetUser(pool, input.Username)),
    AdminSetUserMFAPreference: operation(ofUser.extend({ SMSMfaSettings: mfaChoice }), (pool, input) =>
      adminPreferSms(pool, input.Username, input.SMSMfaSettings?.PreferredMfa ?? false),
    ),
    AdminUserGlobalSignOut: operation(ofUser, (pool, input) => adminSignOut(pool, input.Username)),
  }),
)
