import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Trx } from '../db/db.ts'
import { deriveKey } from '../encryption.ts'
import { AppError, conflict, invalid } from '../errors.ts'
import { queueMessage } from '../messaging/outbox.ts'
import type { Origin } from './origin.ts'
import { recordEvent } from './pool/events.ts'
import { codeSource, giveAttemptBack, lockAccount, passwordSources, takeAttempt, wrongAttempts } from './pool/locks.ts'
import { type IdentityProvider, LockedOut } from './provider.ts'

/*
 * The components of an electronic signature (21 CFR 11.200): password and second factor, checked for a person who is signed in already.
 * Wrong ones count with those of sign-in, in the database and outside of the transaction of the call: a refusal must not undo the count.
 */

export interface ComponentsContext {
  db: Db
  secret: string
  identity: IdentityProvider
}

export interface Signer {
  userName: string
  origin: Origin
}

const allowed = 5
const codeSeconds = 180
const maxCodes = 5
const codesMinutes = 15

const locked = () =>
  new AppError(
    'locked',
    'Too many wrong passwords or codes: the account is locked for 15 minutes, and you are signed out.',
  )

/** Counts the attempt before it is checked, so that many at once cannot exceed the limit. */
const attempt = async (
  { db }: ComponentsContext,
  { userName, origin }: Signer,
  kind: 'PASSWORD' | 'CODE',
  check: () => Promise<boolean>,
): Promise<boolean> => {
  const passwords = await passwordSources(db, userName, origin)
  const sources = kind === 'PASSWORD' ? passwords : [codeSource]
  const isRight = await takeAttempt(db, userName, sources, origin)
    .then(check)
    .catch((error: unknown) => {
      if (error instanceof LockedOut) throw locked()
      throw error
    })
  await recordEvent(db, userName, kind === 'PASSWORD' ? 'SIGN_PASSWORD' : 'SIGN_CODE', isRight, origin)
  if (isRight) {
    await giveAttemptBack(db, userName, sources)
    return true
  }
  const counted = [...passwords, codeSource]
  if ((await wrongAttempts(db, userName, counted)) < allowed) return false
  await lockAccount(db, userName, counted, origin)
  throw locked()
}

export const requirePassword = async (context: ComponentsContext, signer: Signer, password: string | undefined) => {
  if (!password) throw invalid('password', 'Password is required')
  const isRight = await attempt(context, signer, 'PASSWORD', () =>
    context.identity.isPasswordRight(signer.userName, password),
  )
  if (!isRight) throw invalid('password', 'Password is not correct')
}

/** The second factor: the code that was sent, or the one of the authenticator app. */
export const requireCode = async (
  context: ComponentsContext,
  signer: Signer,
  { password, code }: { password: string; code: string | null | undefined },
) => {
  if (!code) throw invalid('code', 'Authentication code is required')
  const isRight = await attempt(context, signer, 'CODE', async () =>
    (await context.identity.secondFactorOf(context.db, signer.userName)) === 'TOTP'
      ? context.identity.isAppCodeRight(signer.userName, password, code)
      : isSentCodeRight(context, signer.userName, code),
  )
  if (!isRight) throw invalid('code', 'Authentication code is not correct or has expired')
}

/** Sends a code to the phone of the signer, unless an authenticator app makes it. */
export const sendSigningCode = async (
  { secret, identity }: Pick<ComponentsContext, 'secret' | 'identity'>,
  trx: Trx,
  userName: string,
): Promise<'SMS' | 'TOTP'> => {
  if ((await identity.secondFactorOf(trx, userName)) === 'TOTP') return 'TOTP'
  const account = await lockIdentity(trx, userName)
  const { sent } = await trx
    .selectFrom('identity_challenge')
    .select(({ fn }) => fn.countAll<number>().as('sent'))
    .where('sub', '=', account.sub)
    .where('kind', '=', 'SIGN')
    .where('used_at', 'is', null)
    .where('created_at', '>', sql<string>`now() - make_interval(mins => ${codesMinutes})`)
    .executeTakeFirstOrThrow()
  if (sent >= maxCodes)
    throw new AppError(
      'tooManyRequests',
      `Too many authentication codes were sent to this phone. Please try again in ${codesMinutes} minutes.`,
    )
  const code = String(randomInt(0, 1_000_000)).padStart(6, '0')
  await trx
    .insertInto('identity_challenge')
    .values({
      sub: account.sub,
      kind: 'SIGN',
      code_hash: codeHash(secret, account.sub, code),
      expires_at: sql<string>`now() + make_interval(secs => ${codeSeconds})`,
    })
    .execute()
  await queueMessage(trx, {
    channel: 'SMS',
    to: account.phone,
    body: `Your LIS authentication code is ${code}. It is valid for 3 minutes.`,
    expiresInSeconds: codeSeconds,
  })
  return 'SMS'
}

/** The row is locked, so that many calls at once still send only so many codes. */
const lockIdentity = async (trx: Trx, userName: string) => {
  const account = await trx
    .selectFrom('identity_user as i')
    .innerJoin('app_user as u', 'u.id', 'i.user_id')
    .select(['i.sub', 'u.phone'])
    .where('u.user_name', '=', userName)
    .where('u.deleted_at', 'is', null)
    .forUpdate('i')
    .executeTakeFirst()
  if (!account) throw conflict('This account has no second factor')
  return account
}

const codeHash = (secret: string, sub: string, code: string) =>
  createHmac('sha256', deriveKey(secret, 'signing-code')).update(`${sub}:${code}`).digest()

/** A right code is used up; a wrong one may be typed again, and counts. */
const isSentCodeRight = async ({ db, secret }: ComponentsContext, userName: string, code: string): Promise<boolean> => {
  const open = await db
    .selectFrom('identity_challenge as c')
    .innerJoin('identity_user as i', 'i.sub', 'c.sub')
    .innerJoin('app_user as u', 'u.id', 'i.user_id')
    .select(['c.id', 'c.sub', 'c.code_hash'])
    .where('u.user_name', '=', userName)
    .where('c.kind', '=', 'SIGN')
    .where('c.used_at', 'is', null)
    .where('c.expires_at', '>', sql<string>`now()`)
    .execute()
  const found = open.find(({ sub, code_hash: kept }) => kept && timingSafeEqual(kept, codeHash(secret, sub, code)))
  if (!found) return false
  const { numUpdatedRows } = await db
    .updateTable('identity_challenge')
    .set({ used_at: sql<string>`now()` })
    .where('id', '=', found.id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
