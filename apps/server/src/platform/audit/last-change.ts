import type { Db } from '../db/db.ts'

interface LastChange {
  changedBy: string
  changedAt: string
}

/** Who changed a record last, and when; sign-ins and downloads are not changes. */
export const findLastChange = async (db: Db, entity: string, entityId: number): Promise<LastChange | undefined> => {
  const last = await db
    .selectFrom('audit_entry')
    .select(['actor_name', 'at'])
    .where('entity', '=', entity)
    .where('entity_id', '=', entityId)
    .where('action', 'not in', ['SIGN_IN', 'SIGN_OUT', 'DOWNLOAD'])
    .orderBy('chain_no', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last && { changedBy: last.actor_name, changedAt: new Date(last.at).toISOString() }
}
