import type { PoolClient } from 'pg'

/** The audit computes its hash chain in a trigger and must never be loaded without it. */
const tablesWithRequiredTriggers = ['audit_entry', 'audit_seal', 'audit_state', 'access_log']

/**
 * Disables user triggers while rows are loaded: filling the list once at the end is a hundred times faster than refreshing it after every
 * statement. It is part of the load's transaction, so a failed load leaves the triggers enabled.
 */
export const withoutUserTriggers = async (client: PoolClient, work: () => Promise<void>) => {
  const tables = await findTablesWithTriggers(client)
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
  await work()
  for (const table of tables) await client.query(`alter table ${table} enable trigger user`)
}

const findTablesWithTriggers = async (client: PoolClient): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and not c.relispartition and c.relnamespace = 'public'::regnamespace and c.relname <> all ($1) order by 1`,
    [tablesWithRequiredTriggers],
  )
  return rows.map((row) => row.name)
}
