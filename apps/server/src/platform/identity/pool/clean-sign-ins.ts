import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import { deviceDays } from './devices.ts'

const ago = (span: string) => sql<string>`now() - ${span}::interval`

/** Removes rows that no sign-in needs any more. `identity_event` stays: audit entries refer to its rows. */
export const cleanSignIns = async (db: Db) => {
  // The rows of the last hour count the reset mails.
  await db.deleteFrom('identity_challenge').where('expires_at', '<', ago('1 day')).execute()
  // Not earlier, even if used or revoked: a replay must end its family, and the last access token needs a row for up to a day.
  await db.deleteFrom('identity_refresh_token').where('expires_at', '<', ago('1 day')).execute()
  // Attempts count for fifteen minutes, and a lock lasts as long.
  await db
    .deleteFrom('identity_lock')
    .where('failed_since', '<', ago('1 hour'))
    .where(({ eb, or }) => or([eb('locked_until', 'is', null), eb('locked_until', '<', ago('1 hour'))]))
    .execute()
  await db
    .deleteFrom('identity_device')
    .where('last_used_at', '<', ago(`${deviceDays} days`))
    .execute()
  // Where a user signed in from may be needed weeks later; the sign-in itself stays in the audit.
  await db.deleteFrom('session').where('absolute_expires_at', '<', ago('90 days')).execute()
}
