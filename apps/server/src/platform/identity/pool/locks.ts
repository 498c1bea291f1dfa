import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Origin } from '../origin.ts'
import { LockedOut } from '../provider.ts'
import { recordEvent } from './events.ts'

const allowed = 5
const minutes = 15

/**
 * Takes one of the five attempts BEFORE the password or code is looked at, so that a hundred guesses sent at once are still only
 * five. Names nobody bears are counted too: a lock must not tell that an account exists.
 */
export const takeAttempt = async (db: Db, userName: string, origin: Origin) => {
  const { rows } = await sql<{ is_locked: boolean; is_new: boolean }>`
    insert into identity_lock as l (user_name, failed_count, failed_since, locked_until) values (${userName}, 1, now(), null)
    on conflict (user_name) do update set
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

/** The password was right: this attempt does not count, the earlier ones still do until the code is right too. */
export const giveAttemptBack = (db: Db, userName: string) =>
  sql`update identity_lock set failed_count = greatest(failed_count - 1, 0) where user_name = ${userName}`.execute(db)

export const forgetAttempts = async (db: Db, userName: string) => {
  await db.deleteFrom('identity_lock').where('user_name', '=', userName).execute()
}
