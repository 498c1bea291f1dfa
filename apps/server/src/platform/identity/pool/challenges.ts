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

const mostCodes = 5
const codesMinutes = 15

/** Whoever knows the password, or holds a reset link, could fill the owner's phone with codes. A code that was answered does not count. */
export const requireCodesLeft = async (trx: Trx, sub: string) => {
  // One at a time, so that twenty at once are still only five.
  await trx.selectFrom('identity_user').select('sub').where('sub', '=', sub).forUpdate().execute()
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from identity_challenge
    where sub = ${sub} and created_at > now() - make_interval(mins => ${codesMinutes})
      and (kind = 'SMS_MFA' and used_at is null or kind = 'RESET' and detail #>> '{}' = 'mfa')`.execute(trx)
  if ((rows[0]?.count ?? 0) < mostCodes) return
  throw new IdentityError(
    'LimitExceededException',
    `Too many authentication codes were sent to this phone. Please try again in ${codesMinutes} minutes.`,
  )
}

/** Opens the next step of a sign-in. For SMS the code is sent in the same transaction that remembers it. */
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

/** Takes a challenge for good: it can be answered once, rightly or wrongly. */
export const takeChallenge = async (
  pool: PoolContext,
  session: string,
  name: ChallengeName,
): Promise<{ sub: string; codeHash: Buffer | null }> => {
  const { rows } = uuid.test(session)
    ? await sql<{ sub: string; code_hash: Buffer | null }>`
        update identity_challenge set used_at = now()
        where id = ${session} and kind = ${name} and used_at is null and expires_at > now()
        returning sub, code_hash`.execute(pool.db)
    : { rows: [] }
  const taken = rows[0]
  if (!taken) throw new IdentityError('NotAuthorizedException', 'Invalid session for the user, session is expired.')
  return { sub: taken.sub, codeHash: taken.code_hash }
}
