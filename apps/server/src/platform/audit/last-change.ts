import { sql } from 'kysely'
import type { Db } from '../db/db.ts'

interface LastChange {
  changedBy: string
  changedAt: string
}

/** Who changed a record last, and when; signing in and downloading change nothing. */
export const findLastChange = async (db: Db, entity: string, entityId: number): Promise<LastChange | undefined> => {
  const { rows } = await sql<{ name: string; at: Date }>`
    select actor_name as name, at from audit_entry
    where entity = ${entity} and entity_id = ${entityId} and action not in ('SIGN_IN', 'SIGN_OUT', 'DOWNLOAD')
    order by chain_no desc limit 1`.execute(db)
  return rows[0] && { changedBy: rows[0].name, changedAt: new Date(rows[0].at).toISOString() }
}
