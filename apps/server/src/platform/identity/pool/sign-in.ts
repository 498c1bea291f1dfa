import type { Origin } from '../origin.ts'
import { IdentityError } from '../provider.ts'
import { type Challenge, type ChallengeName, codeHash, isSameHash, openChallenge, takeChallenge } from './challenges.ts'
import type { PoolContext } from './context.ts'
import { rememberDevice } from './devices.ts'
import { recordEvent } from './events.ts'
import {
  accountSource,
  codeSource,
  forgetOwnAttempts,
  giveAttemptBack,
  passwordSources,
  requireUnlocked,
  takeAttempt,
} from './locks.ts'
import { choosePassword, matchesPassword } from './passwords.ts'
import { type AuthenticationResult, issueTokens } from './tokens.ts'
import { isRightTotp } from './totp.ts'
import { findAccount, findAccountBySub, type PoolAccount } from './users.ts'

export type SignInStep =
  | Challenge
  | { AuthenticationResult: AuthenticationResult; ChallengeParameters: Record<string, never> }

const longestName = 128
const wrongPassword = () => new IdentityError('NotAuthorizedException', 'Incorrect username or password.')

/** First step: name and password. The reply is the same for a wrong password, an unknown name and a disabled account. */
export const signIn = async (
  pool: PoolContext,
  userName: string,
  password: string,
  origin: Origin,
): Promise<SignInStep> => {
  if (!userName || userName.length > longestName || !password) throw wrongPassword()
  const sources = await passwordSources(pool.db, userName, origin)
  await requireUnlocked(pool.db, userName, accountSource)
  await takeAttempt(pool.db, userName, sources, origin)
  const account = await findAccount(pool.db, userName)
  const isRight = (await matchesPassword(account, password)) && account?.isActive === true
  await recordEvent(pool.db, userName, 'PASSWORD', isRight, origin)
  if (!isRight || !account) throw wrongPassword()
  await giveAttemptBack(pool.db, userName, sources)
  if (account.isTemporaryExpired) {
    throw new IdentityError(
      'NotAuthorizedException',
      'Temporary password has expired and must be reset by an administrator.',
    )
  }
  if (account.isTemporary) return openChallenge(pool, account, 'NEW_PASSWORD_REQUIRED')
  return secondFactor(pool, account, origin)
}

/** The step after a right password: the code of the preferred factor, or none for service accounts. */
const secondFactor = async (pool: PoolContext, account: PoolAccount, origin: Origin): Promise<SignInStep> => {
  await requireUnlocked(pool.db, account.userName, codeSource)
  if (account.mfa === 'SMS') return openChallenge(pool, account, 'SMS_MFA')
  if (account.mfa === 'TOTP') return openChallenge(pool, account, 'SOFTWARE_TOKEN_MFA')
  return finish(pool, account, origin)
}

const finish = async (pool: PoolContext, account: PoolAccount, origin: Origin): Promise<SignInStep> => {
  const sources = await passwordSources(pool.db, account.userName, origin)
  await forgetOwnAttempts(pool.db, account.userName, [...sources, codeSource])
  await rememberDevice(pool.db, account, origin)
  await recordEvent(pool.db, account.userName, 'SIGN_IN', true, origin)
  return { AuthenticationResult: await issueTokens(pool, account), ChallengeParameters: {} }
}

export interface ChallengeAnswer {
  name: ChallengeName
  session: string
  userName: string
  responses: Record<string, string>
}

/** Every further step. The name must be that of the challenge: a session cannot be used for another account. */
export const answerChallenge = async (
  pool: PoolContext,
  answer: ChallengeAnswer,
  origin: Origin,
): Promise<SignInStep> => {
  const taken = await takeChallenge(pool, answer.session, answer.name)
  const account = await findAccountBySub(pool.db, taken.sub)
  const isOwn = account?.isActive === true && account.userName.toLowerCase() === answer.userName.toLowerCase()
  if (!isOwn || !account) throw new IdentityError('NotAuthorizedException', 'Invalid session for the user.')
  if (answer.name === 'NEW_PASSWORD_REQUIRED') {
    await choosePassword(pool, account, answer.responses.NEW_PASSWORD ?? '').catch(async (error: unknown) => {
      await reopenChallenge(pool, answer.session)
      throw error
    })
    await recordEvent(pool.db, account.userName, 'NEW_PASSWORD', true, origin)
    return secondFactor(pool, account, origin)
  }
  await requireUnlocked(pool.db, account.userName, accountSource)
  await takeAttempt(pool.db, account.userName, [codeSource], origin)
  const isRight =
    answer.name === 'SMS_MFA'
      ? isSameHash(taken.codeHash, codeHash(pool, account.sub, answer.responses.SMS_MFA_CODE ?? ''))
      : await isRightTotp(pool, account, answer.responses.SOFTWARE_TOKEN_MFA_CODE ?? '')
  await recordEvent(pool.db, account.userName, 'CODE', isRight, origin)
  if (!isRight) throw new IdentityError('NotAuthorizedException', 'Invalid code or auth state for the user.')
  return finish(pool, account, origin)
}

/** A new password that breaks a rule is not an attack: the user may try another one until the challenge expires. */
const reopenChallenge = (pool: PoolContext, session: string) =>
  pool.db.updateTable('identity_challenge').set({ used_at: null }).where('id', '=', session).execute()
