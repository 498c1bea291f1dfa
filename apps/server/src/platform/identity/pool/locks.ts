import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import { networkOf } from '../../ip-network.ts'
import type { Origin } from '../origin.ts'
import { LockedOut } from '../provider.ts'
import { deviceHash, isKnownDevice } from './devices.ts'
import { recordEvent } from './events.ts'

const minutes = 15

/** What the attempts on a name are counted by. Each source has its own counter, so that guesses from elsewhere lock nobody out. */
export interface Source {
  name: string
  allowed: number
}

const fiveAttempts = (name: string): Source => ({ name, allowed: 5 })

/** All unknown devices together, against guesses from many addresses. */
const everywhere: Source = { name: '', allowed: 50 }

/** Codes of the second factor, from any address: only someone who knows the password can guess them. */
export const codeSource = fiveAttempts('code')
/** The pool's own reset codes are short, so guesses from all addresses count together; the reset link still works meanwhile. */
export const resetCodeSource = fiveAttempts('reset-code')
/** Attempts by a reset link, which only its holder can make. */
export const linkSource = (linkHash: Buffer) => fiveAttempts(`link:${linkHash.toString('hex')}`)

/** The account as a whole, after wrong passwords or codes at signing; no attempts are counted by it. */
export const accountSource: Source = { name: 'account', allowed: 0 }

/** Attempts at the password: a known browser has its own counter, all others are counted by address. */
export const passwordSources = async (db: Db, userName: string, { ip, device }: Origin): Promise<Source[]> =>
  device && (await isKnownDevice(db, userName, device))
    ? [fiveAttempts(`device:${deviceHash(device).toString('hex')}`)]
    : [fiveAttempts(`address:${networkOf(ip)}`), everywhere]

/**
 * Counts one attempt BEFORE the password or code is checked, so that a hundred concurrent guesses cannot exceed the limit. Names without
 * an account are counted too: a lock must not tell that an account exists. A locked source does not count for the next ones: one address
 * cannot use up the common limit.
 */
export const takeAttempt = async (db: Db, userName: string, sources: readonly Source[], origin: Origin) => {
  for (const source of sources) await takeOne(db, userName, source, origin)
}

const takeOne = async (db: Db, userName: string, { name, allowed }: Source, origin: Origin) => {
  const { rows } = await sql<{ is_locked: boolean; is_new: boolean }>`
    insert into identity_lock as l (user_name, source, failed_count, failed_since, locked_until) values (${userName}, ${name}, 1, now(), null)
    on conflict (user_name, source) do update set
      failed_count = case when l.locked_until > now() then l.failed_count
        when l.failed_since < now() - make_interval(mins => ${minutes}) then 1 else l.failed_count + 1 end,
      failed_since = case when l.failed_since < now() - make_interval(mins => ${minutes}) and not coalesce(l.locked_until > now(), false) then now() else l.failed_since end,
      locked_until = case when l.locked_until > now() then l.locked_until
        when l.failed_count >= ${allowed} and l.failed_since >= now() - make_interval(mins => ${minutes}) then now() + make_interval(mins => ${minutes}) end
    returning coalesce(locked_until > now(), false) as is_locked, coalesce(locked_until = now() + make_interval(mins => ${minutes}), false) as is_new`.execute(
    db,
  )
  if (rows[0]?.is_new) await recordEvent(db, userName, 'LOCK', false, origin)
  if (rows[0]?.is_locked) throw new LockedOut()
}

/** Called before sending a code, which would be useless during a lock. */
export const requireUnlocked = async (db: Db, userName: string, { name }: Source) => {
  const locked = await db
    .selectFrom('identity_lock')
    .select('source')
    .where('user_name', '=', userName)
    .where('source', '=', name)
    .where('locked_until', '>', sql<string>`now()`)
    .executeTakeFirst()
  if (locked) throw new LockedOut()
}

/** The password was right, so this attempt does not count; earlier ones still do until the code is right too. */
export const giveAttemptBack = (db: Db, userName: string, sources: readonly Source[]) =>
  db
    .updateTable('identity_lock')
    .set({ failed_count: sql<number>`greatest(failed_count - 1, 0)` })
    .where('user_name', '=', userName)
    .where('source', 'in', namesOf(sources))
    .execute()

/** Called after a complete sign-in. Attempts from elsewhere still count. */
export const forgetOwnAttempts = async (db: Db, userName: string, sources: readonly Source[]) => {
  await db
    .deleteFrom('identity_lock')
    .where('user_name', '=', userName)
    .where('source', 'in', namesOf(sources.filter((source) => source !== everywhere)))
    .execute()
}

const namesOf = (sources: readonly Source[]) => sources.map(({ name }) => name)

export const forgetAttempts = async (db: Db, userName: string) => {
  await db.deleteFrom('identity_lock').where('user_name', '=', userName).execute()
}

/** The wrong attempts of the last minutes by these sources together. */
export const wrongAttempts = async (db: Db, userName: string, sources: readonly Source[]): Promise<number> => {
  const { count } = await db
    .selectFrom('identity_lock')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('failed_count'), sql.lit(0)).as('count'))
    .where('user_name', '=', userName)
    .where('source', 'in', namesOf(sources.filter((source) => source !== everywhere)))
    .where('failed_since', '>=', sql<string>`now() - make_interval(mins => ${minutes})`)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Locks the account for everybody, wherever they try to sign in from. */
export const lockAccount = async (db: Db, userName: string, sources: readonly Source[], origin: Origin) => {
  for (const { name } of [accountSource, ...sources.filter((source) => source !== everywhere)])
    await sql`insert into identity_lock (user_name, source, failed_count, failed_since, locked_until)
      values (${userName}, ${name}, ${codeSource.allowed}, now(), now() + make_interval(mins => ${minutes}))
      on conflict (user_name, source) do update set locked_until = excluded.locked_until`.execute(db)
  await recordEvent(db, userName, 'LOCK', false, origin)
}
