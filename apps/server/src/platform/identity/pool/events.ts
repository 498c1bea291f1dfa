import type { Db } from '../../db/db.ts'
import type { Origin } from '../origin.ts'

/** Every attempt leaves a row, also for names that nobody bears. */
export const recordEvent = (db: Db, userName: string, kind: string, succeeded: boolean, origin: Origin) =>
  db
    .insertInto('identity_event')
    .values({
      user_name: userName.slice(0, 128),
      kind,
      succeeded,
      ip: origin.ip,
      user_agent: origin.userAgent?.slice(0, 400) ?? null,
    })
    .execute()
