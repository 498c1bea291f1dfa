import type { PoolClient } from 'pg'
import { demoTableNames } from './tables.ts'

/** The audit computes its hash chain in a trigger and must never be loaded without it. */
const guarded = ['audit_entry', 'audit_seal', 'audit_state', 'access_log']

/**
 * Holds the list triggers back while rows stream in: filling the list once at the end is a hundred times cheaper than refreshing it
 * after every statement. All of it happens inside the load's transaction, so a failed load leaves everything as it was.
 * A lean set also goes without foreign-key checks, which cost more than the rows themselves; the same generator passes them in every
 * full set. Only a superuser may do that, so on a hosted database such a load is just slower.
 */
export const withoutTriggers = async (client: PoolClient, isDetailed: boolean, work: () => Promise<void>) => {
  if (!isDetailed && (await isSuperuser(client))) {
    await client.query('set local session_replication_role = replica')
    await work()
    await client.query('set local session_replication_role = origin')
    return
  }
  const tables = await tablesWithTriggers(client)
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
  await work()
  for (const table of tables) await client.query(`alter table ${table} enable trigger user`)
}

const isSuperuser = async (client: PoolClient): Promise<boolean> => {
  const { rows } = await client.query<{ rolsuper: boolean }>(
    'select rolsuper from pg_roles where rolname = current_user',
  )
  return rows[0]?.rolsuper ?? false
}

const tablesWithTriggers = async (client: PoolClient): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and c.relnamespace = 'public'::regnamespace and c.relname <> all ($1) order by 1`,
    [guarded],
  )
  return rows.map((row) => row.name)
}

/** Building an index over finished rows is several times cheaper than keeping it while they come. A full set is too small to notice. */
export const withoutIndexes = async (
  client: PoolClient,
  isDetailed: boolean,
  tables: readonly string[],
  work: () => Promise<void>,
) => {
  if (isDetailed) return work()
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
     where i.indrelid = any ($1::regclass[]) and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     order by i.indexrelid`,
    [tables],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await work()
  await client.query("set local maintenance_work_mem = '512MB'")
  for (const { definition } of rows) await client.query(definition)
}

/** The read model is filled after these have their indexes back: the view looks everything up by them. */
export const sourceTables: readonly string[] = demoTableNames
export const readModelTables: readonly string[] = ['requisition_list', 'requisition_search']

/** Without fresh statistics the planner takes the new rows for a handful. */
export const analyzeTables = (client: PoolClient, tables: readonly string[]) =>
  client.query(`analyze ${tables.join(', ')}`)
