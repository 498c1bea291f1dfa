import { missingGateway } from '../../messaging/open-transports.ts'
import type { Origin } from '../origin.ts'
import { IdentityError } from '../provider.ts'
import type { PoolContext } from './context.ts'
import { recordEvent } from './events.ts'
import { codeSource, forgetOwnAttempts, giveAttemptBack, passwordSources, takeAttempt } from './locks.ts'
import { choosePassword, matchesPassword } from './passwords.ts'
import { revokeAll, verifyAccessToken } from './tokens.ts'
import { associateTotp, verifyTotp } from './totp.ts'
import { findAccountBySub, type PoolAccount } from './users.ts'

/** The account of an access token. Everything in this file is done by users to their own account. */
const requireAccountOf = async (pool: PoolContext, accessToken: string): Promise<PoolAccount> =>
  (await signInOf(pool, accessToken)).account

const signInOf = async (pool: PoolContext, accessToken: string) => {
  const { sub, origin: family } = await verifyAccessToken(pool, accessToken)
  const account = await findAccountBySub(pool.db, sub)
  if (!account?.isActive) throw new IdentityError('NotAuthorizedException', 'Invalid Access Token')
  return { account, family }
}

export const changeOwnPassword = async (
  pool: PoolContext,
  accessToken: string,
  current: string,
  next: string,
  origin: Origin,
) => {
  const { account, family } = await signInOf(pool, accessToken)
  const sources = await passwordSources(pool.db, account.userName, origin)
  await takeAttempt(pool.db, account.userName, sources, origin)
  const isRight = await matchesPassword(account, current)
  await recordEvent(pool.db, account.userName, 'CHANGE_PASSWORD', isRight, origin)
  if (!isRight) throw new IdentityError('NotAuthorizedException', 'Incorrect username or password.')
  await forgetOwnAttempts(pool.db, account.userName, sources)
  // Ends all other sign-ins: someone who knows the old password must not stay signed in.
  await choosePassword(pool, account, next, (trx) => revokeAll(trx, account.sub, 'PASSWORD_CHANGED', family))
}

export const describeUser = async (pool: PoolContext, accessToken: string) => {
  const account = await requireAccountOf(pool, accessToken)
  return {
    Username: account.userName,
    UserAttributes: [
      { Name: 'sub', Value: account.sub },
      { Name: 'email', Value: account.email },
      { Name: 'phone_number', Value: `+${account.phone}` },
    ],
    ...mfaSettings(account),
  }
}

const mfaNames = { SMS: 'SMS_MFA', TOTP: 'SOFTWARE_TOKEN_MFA', OFF: undefined } as const

const mfaSettings = (account: PoolAccount) => {
  const name = mfaNames[account.mfa]
  return name ? { PreferredMfaSetting: name, UserMFASettingList: [name] } : {}
}

export const associateSoftwareToken = async (pool: PoolContext, accessToken: string) => ({
  SecretCode: await associateTotp(pool, await requireAccountOf(pool, accessToken)),
})

export const verifySoftwareToken = async (pool: PoolContext, accessToken: string, code: string, origin: Origin) => {
  const account = await requireAccountOf(pool, accessToken)
  await takeAttempt(pool.db, account.userName, [codeSource], origin)
  const isRight = await verifyTotp(pool, account, code)
  await recordEvent(pool.db, account.userName, 'AUTHENTICATOR', isRight, origin)
  if (!isRight) throw new IdentityError('EnableSoftwareTokenMFAException', 'Code mismatch')
  // Earlier attempts still count: verifying one's own app must not allow more guesses at the password.
  await giveAttemptBack(pool.db, account.userName, [codeSource])
  return { Status: 'SUCCESS' as const }
}

interface MfaChoice {
  Enabled?: boolean
  PreferredMfa?: boolean
}

/** Sets the second factor. It cannot be switched off here: only service accounts have none, and an administrator creates those. */
export const setMfaPreference = async (
  pool: PoolContext,
  accessToken: string,
  sms: MfaChoice | undefined,
  totp: MfaChoice | undefined,
  origin: Origin,
) => {
  const account = await requireAccountOf(pool, accessToken)
  const preference = totp?.PreferredMfa ? 'TOTP' : sms?.PreferredMfa ? 'SMS' : null
  if (!preference) throw new IdentityError('InvalidParameterException', 'One preferred second factor is required')
  // Without a gateway no code would arrive at the next sign-in.
  if (preference === 'SMS' && !pool.canSendSms)
    throw new IdentityError('InvalidParameterException', missingGateway('SMS'))
  const user = await pool.db
    .selectFrom('identity_user')
    .select('totp_verified_at')
    .where('sub', '=', account.sub)
    .executeTakeFirstOrThrow()
  if (preference === 'TOTP' && !user.totp_verified_at)
    throw new IdentityError('InvalidParameterException', 'User has not verified software token mfa')
  await pool.db
    .updateTable('identity_user')
    .set({ mfa_preference: preference })
    .where('sub', '=', account.sub)
    .execute()
  await recordEvent(pool.db, account.userName, `SECOND_FACTOR_${preference}`, true, origin)
}

/** Ends every sign-in of the user, on every device. */
export const globalSignOut = async (pool: PoolContext, accessToken: string, origin: Origin) => {
  const account = await requireAccountOf(pool, accessToken)
  await pool.db.transaction().execute(async (trx) => {
    await revokeAll(trx, account.sub, 'SIGN_OUT')
    await recordEvent(trx, account.userName, 'SIGN_OUT_EVERYWHERE', true, origin)
  })
}
