import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '../../db/db.ts'
import type { Origin } from '../origin.ts'
import { IdentityError, type ResetRequest } from '../provider.ts'
import { codeHash, isSameHash, newCode, requireCodesLeft } from './challenges.ts'
import type { PoolContext } from './context.ts'
import { recordEvent } from './events.ts'
import { forgetAttempts, giveAttemptBack, linkSource, resetCodeSource, type Source, takeAttempt } from './locks.ts'
import { choosePassword, requireGoodPassword } from './passwords.ts'
import { revokeAll } from './tokens.ts'
import { isRightTotp } from './totp.ts'
import { findAccount, findAccountBySub, type PoolAccount } from './users.ts'

type ResetKind = 'code' | 'link' | 'mfa'

const codeMinutes = 15
const linkMinutes = 60
const smsMinutes = 3

// Writing and queueing a mail takes a few milliseconds; a faster reply would tell that the name is unknown.
const answerMs = 150
const atLeast = async (ms: number, work: () => Promise<void>) => {
  await Promise.all([work(), new Promise((later) => setTimeout(later, ms))])
}

const mismatch = () =>
  new IdentityError('CodeMismatchException', 'Invalid verification code provided, please try again.')

const kindOfReset = sql<string>`detail #>> '{}'`

const openReset = (trx: Trx, sub: string, hash: Buffer, minutes: number, detail: ResetKind) =>
  trx
    .insertInto('identity_challenge')
    .values({
      sub,
      kind: 'RESET',
      code_hash: hash,
      detail: JSON.stringify(detail),
      expires_at: sql<string>`now() + make_interval(mins => ${minutes})`,
    })
    .execute()

/**
 * Voids earlier resets and sends a new one, unless the account has got too many mails: otherwise anyone could flood a mailbox, and void each
 * link before its owner opens it. Then the last one stays valid, and the reply is the same. `requestedFrom` is null for a manager, who is
 * not limited and whose call is audited by the caller.
 */
const mailReset = async (
  pool: PoolContext,
  userName: string,
  requestedFrom: Origin | null,
  send: (trx: Trx, account: PoolAccount) => Promise<void>,
) => {
  const account = await findAccount(pool.db, userName)
  if (requestedFrom) await recordEvent(pool.db, userName, 'FORGOT_PASSWORD', account !== undefined, requestedFrom)
  if (!account?.isActive) return
  await pool.db.transaction().execute(async (trx) => {
    await trx.selectFrom('identity_user').select('sub').where('sub', '=', account.sub).forUpdate().execute()
    if (requestedFrom && (await hasTooManyMails(trx, account.sub))) return
    await endOpenResets(trx, account.sub)
    await send(trx, account)
  })
}

const maxMailsPerHour = 5

const hasTooManyMails = async (trx: Trx, sub: string) => {
  const sent = await trx
    .selectFrom('identity_challenge')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .select(sql<boolean>`coalesce(max(created_at) > now() - interval '1 minute', false)`.as('is_recent'))
    .where('sub', '=', sub)
    .where('kind', '=', 'RESET')
    .where(kindOfReset, 'in', ['code', 'link'])
    .where('created_at', '>', sql<string>`now() - interval '1 hour'`)
    .executeTakeFirstOrThrow()
  return sent.count >= maxMailsPerHour || sent.is_recent
}

/** The pool's own ForgotPassword: a code by mail. An unknown name gets the same answer, and nothing is sent. */
export const sendResetCode = (pool: PoolContext, userName: string, requestedFrom: Origin | null) =>
  atLeast(answerMs, () => mailReset(pool, userName, requestedFrom, (trx, account) => mailResetCode(pool, trx, account)))

const mailResetCode = async (pool: PoolContext, trx: Trx, account: PoolAccount) => {
  const code = newCode()
  await openReset(trx, account.sub, codeHash(pool, account.sub, code), codeMinutes, 'code')
  await pool.send(trx, {
    channel: 'EMAIL',
    to: account.email,
    subject: 'Your LIS password reset code',
    body: `Your password reset code is ${code}. It is valid for ${codeMinutes} minutes.${unsubscribe(pool, account)}`,
    expiresInSeconds: codeMinutes * 60,
  })
}

export const confirmResetCode = async (
  pool: PoolContext,
  userName: string,
  code: string,
  password: string,
  origin: Origin,
) => {
  await takeAttempt(pool.db, userName, [resetCodeSource], origin)
  const account = await findAccount(pool.db, userName)
  if (!account?.isActive) throw mismatch()
  const isRight = await hasOpenReset(pool, account, codeHash(pool, account.sub, code), 'code')
  await recordEvent(pool.db, userName, 'RESET_CODE', isRight, origin)
  if (!isRight) throw mismatch()
  await finishReset(pool, account, password)
}

/** The product's own reset: a link to the reset page by mail. The link alone changes nothing. */
export const sendResetLink = (pool: PoolContext, userName: string, requestedFrom: Origin | null) =>
  atLeast(answerMs, () => mailReset(pool, userName, requestedFrom, (trx, account) => mailResetLink(pool, trx, account)))

const mailResetLink = async (pool: PoolContext, trx: Trx, account: PoolAccount) => {
  const token = randomBytes(32).toString('base64url')
  await openReset(trx, account.sub, codeHash(pool, 'link', token), linkMinutes, 'link')
  await pool.send(trx, {
    channel: 'EMAIL',
    to: account.email,
    subject: 'Reset your LIS password',
    body: `Hello ${account.userName},\n\nset a new password here: ${pool.publicUrl}/reset/${token}\n\nThe link is valid for ${linkMinutes} minutes and can be used once. If you did not ask for it, ignore this mail.${unsubscribe(pool, account)}`,
    expiresInSeconds: linkMinutes * 60,
  })
}

const unsubscribe = (pool: PoolContext, account: PoolAccount) =>
  `\n\nUnsubscribe: ${pool.publicUrl}/unsubscribe/${account.subscriptionToken}`

const invalidLink = () =>
  new IdentityError('ExpiredCodeException', 'This link is no longer valid. Please request a new one.')

const disabledAccount = () =>
  new IdentityError('ExpiredCodeException', 'This account is disabled. Please ask your administrator.')

const foreignLink = () =>
  new IdentityError('ForeignLinkException', 'This is not the Username that the link was sent to')

/**
 * The account of a valid link, if the typed name is its name; checked before a code is sent and again before the password changes. The
 * attempt counts for the account of the link: the typed name may be another user's. Without a valid link there is nothing to guess.
 */
const attemptByLink = async (
  pool: PoolContext,
  { userName, token }: ResetRequest,
  origin: Origin,
): Promise<{ account: PoolAccount; source: Source }> => {
  const { account, source } = await requireAccountOfLink(pool, token)
  await takeAttempt(pool.db, account.userName, [source], origin)
  if (account.userName.toLowerCase() !== userName.toLowerCase()) {
    await recordEvent(pool.db, account.userName, 'RESET_LINK', false, origin)
    throw foreignLink()
  }
  // Only the holder of a valid link learns this, who knows that the account exists.
  if (!account.isActive) throw disabledAccount()
  return { account, source }
}

const requireAccountOfLink = async (pool: PoolContext, token: string) => {
  const hash = codeHash(pool, 'link', token)
  const open = await openResets(pool, 'link').select('sub').where('code_hash', '=', hash).executeTakeFirst()
  const account = open && (await findAccountBySub(pool.db, open.sub))
  if (!account) throw invalidLink()
  return { account, source: linkSource(hash) }
}

/** Called when the page opens. No attempt is counted: a link cannot be guessed. */
export const checkResetLink = async (pool: PoolContext, token: string) => {
  const { account } = await requireAccountOfLink(pool, token)
  if (!account.isActive) throw disabledAccount()
}

export const beginReset = async (pool: PoolContext, reset: ResetRequest, origin: Origin) => {
  const { account, source } = await attemptByLink(pool, reset, origin)
  await giveAttemptBack(pool.db, account.userName, [source])
  await requireGoodPassword(pool, account, reset.newPassword)
  const name = account.mfa === 'TOTP' ? 'SOFTWARE_TOKEN_MFA' : 'SMS_MFA'
  if (name === 'SMS_MFA') {
    const code = newCode()
    await pool.db.transaction().execute(async (trx) => {
      await requireCodesLeft(trx, account.sub)
      // A new code voids the previous one.
      await endOpenResets(trx, account.sub, ['mfa'])
      await openReset(trx, account.sub, codeHash(pool, `${account.sub}:mfa`, code), smsMinutes, 'mfa')
      await pool.send(trx, {
        channel: 'SMS',
        to: account.phone,
        body: `Your LIS authentication code is ${code}. It is valid for ${smsMinutes} minutes.`,
        expiresInSeconds: smsMinutes * 60,
      })
    })
  }
  await recordEvent(pool.db, account.userName, 'RESET_LINK', true, origin)
  return { challengeName: name }
}

export const finishResetByLink = async (pool: PoolContext, reset: ResetRequest & { code: string }, origin: Origin) => {
  const { account } = await attemptByLink(pool, reset, origin)
  const isRight =
    account.mfa === 'TOTP'
      ? await isRightTotp(pool, account, reset.code)
      : await hasOpenReset(pool, account, codeHash(pool, `${account.sub}:mfa`, reset.code), 'mfa')
  await recordEvent(pool.db, account.userName, 'RESET_CODE', isRight, origin)
  if (!isRight)
    throw new IdentityError('CodeMismatchException', 'Authentication failed. Please enter a valid authentication code.')
  await finishReset(pool, account, reset.newPassword)
}

const hasOpenReset = async (pool: PoolContext, account: PoolAccount, hash: Buffer, detail: ResetKind) => {
  const open = await openResets(pool, detail).select('code_hash').where('sub', '=', account.sub).execute()
  return open.some((row) => isSameHash(row.code_hash, hash))
}

const openResets = (pool: PoolContext, detail: ResetKind) =>
  pool.db
    .selectFrom('identity_challenge')
    .where('kind', '=', 'RESET')
    .where(kindOfReset, '=', detail)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`)

/** Sets the password, voids every open link and code, and ends every sign-in of the account. */
const finishReset = async (pool: PoolContext, account: PoolAccount, password: string) => {
  await choosePassword(pool, account, password, async (trx) => {
    await revokeAll(trx, account.sub, 'PASSWORD_RESET')
    await endOpenResets(trx, account.sub)
    await forgetAttempts(trx, account.userName)
  })
}

const endOpenResets = (trx: Trx, sub: string, details: readonly ResetKind[] = ['code', 'link', 'mfa']) =>
  trx
    .updateTable('identity_challenge')
    .set({ used_at: sql`now()` })
    .where('sub', '=', sub)
    .where('kind', '=', 'RESET')
    .where(kindOfReset, 'in', details)
    .where('used_at', 'is', null)
    .execute()
