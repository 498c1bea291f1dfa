import { createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx } from '../../db/db.ts'
import { deriveKey } from '../../encryption.ts'
import { IdentityError } from '../provider.ts'
import type { PoolContext } from './context.ts'
import type { PoolAccount } from './users.ts'

export type ChallengeName = 'SMS_MFA' | 'SOFTWARE_TOKEN_MFA' | 'NEW_PASSWORD_REQUIRED'

export interface Challenge {
  ChallengeName: ChallengeName
  Session: string
  ChallengeParameters: Record<string, string>
}

const lifeSeconds = 180

export const newCode = () => String(randomInt(0, 1_000_000)).padStart(6, '0')

export const codeHash = (pool: PoolContext, owner: string, code: string) =>
  createHmac('sha256', deriveKey(pool.secret, 'identity-code')).update(`${owner}:${code}`).digest()

export const isSameHash = (a: Buffer | null, b: Buffer) => a !== null && a.length === b.length && timingSafeEqual(a, b)

const maxCodes = 5
const codesMinutes = 15

/** Limits the codes per phone: anyone with the password or a reset link could flood it. Codes that were entered do not count. */
export const requireCodesLeft = async (trx: Trx, sub: string) => {
  // Locked, so that twenty concurrent requests still send only five codes.
  await trx.selectFrom('identity_user').select('sub').where('sub', '=', sub).forUpdate().execute()
  const sent = await trx
    .selectFrom('identity_challenge')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('sub', '=', sub)
    .where('created_at', '>', sql<string>`now() - make_interval(mins => ${codesMinutes})`)
    .where(({ eb, and, or }) =>
      or([
        and([eb('kind', '=', 'SMS_MFA'), eb('used_at', 'is', null)]),
        and([eb('kind', '=', 'RESET'), eb(sql<string>`detail #>> '{}'`, '=', 'mfa')]),
      ]),
    )
    .executeTakeFirstOrThrow()
  if (sent.count < maxCodes) return
  throw new IdentityError(
    'LimitExceededException',
    `Too many authentication codes were sent to this phone. Please try again in ${codesMinutes} minutes.`,
  )
}

/** Opens the next step of a sign-in. An SMS code is queued in the transaction that stores its hash. */
export const openChallenge = (pool: PoolContext, account: PoolAccount, name: ChallengeName): Promise<Challenge> =>
  pool.db.transaction().execute(async (trx) => {
    const code = name === 'SMS_MFA' ? newCode() : null
    if (code) await requireCodesLeft(trx, account.sub)
    const { id } = await trx
      .insertInto('identity_challenge')
      .values({
        sub: account.sub,
        kind: name,
        code_hash: code ? codeHash(pool, account.sub, code) : null,
        expires_at: sql<string>`now() + make_interval(secs => ${lifeSeconds})`,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (code)
      await pool.send(trx, {
        channel: 'SMS',
        to: account.phone,
        body: `Your LIS authentication code is ${code}. It is valid for 3 minutes.`,
        expiresInSeconds: lifeSeconds,
      })
    return { ChallengeName: name, Session: id, ChallengeParameters: parameters(account, name) }
  })

const parameters = (account: PoolAccount, name: ChallengeName): Record<string, string> => {
  if (name === 'SMS_MFA') {
    return {
      CODE_DELIVERY_DELIVERY_MEDIUM: 'SMS',
      CODE_DELIVERY_DESTINATION: `+${'*'.repeat(Math.max(account.phone.length - 2, 0))}${account.phone.slice(-2)}`,
      USER_ID_FOR_SRP: account.userName,
    }
  }
  return name === 'NEW_PASSWORD_REQUIRED'
    ? { USER_ID_FOR_SRP: account.userName, requiredAttributes: '[]', userAttributes: '{}' }
    : { USER_ID_FOR_SRP: account.userName }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Marks a challenge as used: it can be answered once, rightly or wrongly. */
export const takeChallenge = async (
  pool: PoolContext,
  session: string,
  name: ChallengeName,
): Promise<{ sub: string; codeHash: Buffer | null }> => {
  const taken = uuid.test(session)
    ? await pool.db
        .updateTable('identity_challenge')
        .set({ used_at: sql<string>`now()` })
        .where('id', '=', session)
        .where('kind', '=', name)
        .where('used_at', 'is', null)
        .where('expires_at', '>', sql<string>`now()`)
        .returning(['sub', 'code_hash'])
        .executeTakeFirst()
    : undefined
  if (!taken) throw new IdentityError('NotAuthorizedException', 'Invalid session for the user, session is expired.')
  return { sub: taken.sub, codeHash: taken.code_hash }
}
