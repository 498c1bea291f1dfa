import { hash, verify } from '@node-rs/argon2'
import { sql } from 'kysely'
import type { Db, Trx } from '../../db/db.ts'
import { IdentityError } from '../provider.ts'
import type { PoolContext } from './context.ts'
import type { PoolAccount } from './users.ts'

// argon2id is the package's default; 19 MiB and two passes are OWASP's first choice for it.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const historyLength = 12
const maxLength = 256

export const hashPassword = (password: string) => hash(password, options)

// Verified when there is no account, so that an unknown name takes the same time as a wrong password.
const dummyHash = hashPassword('nobody has this password')

export const matchesPassword = async (account: PoolAccount | undefined, password: string): Promise<boolean> => {
  const matches = await verify(account?.passwordHash ?? (await dummyHash), password.slice(0, maxLength)).catch(
    () => false,
  )
  return matches && account?.passwordHash != null
}

/** Sets a password that the user has chosen: it must satisfy the rules and differ from the last twelve. `ending` runs in the same transaction. */
export const choosePassword = async (
  pool: PoolContext,
  account: PoolAccount,
  password: string,
  ending: (trx: Trx) => Promise<void> = async () => undefined,
) => {
  await requireGoodPassword(pool, account, password)
  const passwordHash = await hashPassword(password)
  await pool.db.transaction().execute(async (trx) => {
    await ending(trx)
    await storePassword(trx, account.sub, passwordHash, null)
  })
}

export const requireGoodPassword = async (pool: PoolContext, account: PoolAccount, password: string) => {
  const fault =
    password.length > maxLength ? `${maxLength} characters maximum password length` : pool.passwordFault(password)
  if (fault) throw new IdentityError('InvalidPasswordException', fault)
  await refuseRepeated(pool.db, account, password)
}

const refuseRepeated = async (db: Db, account: PoolAccount, password: string) => {
  const rows = await db
    .selectFrom('identity_password_history')
    .select('password_hash')
    .where('sub', '=', account.sub)
    .orderBy('set_at', 'desc')
    .limit(historyLength)
    .execute()
  const known = [...rows.map((row) => row.password_hash), ...(account.passwordHash ? [account.passwordHash] : [])]
  for (const old of known) {
    if (await verify(old, password).catch(() => false)) {
      throw new IdentityError(
        'PasswordHistoryPolicyViolationException',
        `The password must differ from the last ${historyLength} passwords`,
      )
    }
  }
}

/** `temporaryDays` is null for a password that the user has chosen. */
export const storePassword = async (trx: Db, sub: string, passwordHash: string, temporaryDays: number | null) => {
  await trx
    .updateTable('identity_user')
    .set({
      password_hash: passwordHash,
      password_set_at: sql<string>`now()`,
      is_temporary: temporaryDays !== null,
      temporary_expires_at:
        temporaryDays === null ? null : sql<string>`now() + make_interval(days => ${temporaryDays})`,
      version: sql<number>`version + 1`,
    })
    .where('sub', '=', sub)
    .execute()
  if (temporaryDays === null) {
    await trx
      .insertInto('identity_password_history')
      .values({ sub, set_at: sql<string>`clock_timestamp()`, password_hash: passwordHash })
      .execute()
  }
}
