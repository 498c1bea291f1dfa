import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import { deviceDays } from './devices.ts'

const ago = (span: string) => sql<string>`now() - ${span}::interval`

/** Removes what no sign-in asks for any more. The trace of the attempts, `identity_event`, stays: entries of the audit point to its rows. */
export const cleanSignIns = async (db: Db) => {
  // The reset mails of the last hour are counted by their rows.
  await db.deleteFrom('identity_challenge').where('expires_at', '<', ago('1 day')).execute()
  // Never sooner, used or revoked: a replay must end its family. And the access token bought last may live for a day, by a row of it.
  await db.deleteFrom('identity_refresh_token').where('expires_at', '<', ago('1 day')).execute()
  // Attempts count for fifteen minutes, and so long does a lock last.
  await db
    .deleteFrom('identity_lock')
    .where('failed_since', '<', ago('1 hour'))
    .where(({ eb, or }) => or([eb('locked_until', 'is', null), eb('locked_until', '<', ago('1 hour'))]))
    .execute()
  await db
    .deleteFrom('identity_device')
    .where('last_used_at', '<', ago(`${deviceDays} days`))
    .execute()
  // From where somebody was signed in may be asked weeks later; that somebody was stands in the audit for good.
  await db.deleteFrom('session').where('absolute_expires_at', '<', ago('90 days')).execute()
}
