import type { PoolClient } from 'pg'
import type { Pool } from '../../src/platform/db/pool.ts'
import { type LaboratoryOptions, type LoadSummary, loadLaboratory } from '../laboratory/load-laboratory.ts'
import { withoutUserTriggers } from '../laboratory/triggers.ts'

/**
 * The bulk data of `bench`: up to millions of requisitions with only what lists, counts and reports read, and one PDF for all reports.
 * No documents, notes, charges, report events or audit of the past. What `npm start` shows is the demo laboratory in ../demo.
 */
export const loadBulk = (pool: Pool, options: LaboratoryOptions): Promise<LoadSummary> =>
  loadLaboratory(pool, options, { isDetailed: false, withoutTriggers, withoutIndexes })

/**
 * Foreign-key checks cost more than the rows themselves, so they are skipped; the demo laboratory, made by the same generator, passes them.
 * Only a superuser can do that: on a hosted database the load is just slower.
 */
const withoutTriggers = async (client: PoolClient, work: () => Promise<void>) => {
  if (!(await isSuperuser(client))) return withoutUserTriggers(client, work)
  await client.query('set local session_replication_role = replica')
  await work()
  await client.query('set local session_replication_role = origin')
}

const isSuperuser = async (client: PoolClient): Promise<boolean> => {
  const { rows } = await client.query<{ rolsuper: boolean }>(
    'select rolsuper from pg_roles where rolname = current_user',
  )
  return rows[0]?.rolsuper ?? false
}

/** Building an index over finished rows is several times faster than updating it row by row. */
const withoutIndexes = async (client: PoolClient, tables: readonly string[], work: () => Promise<void>) => {
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
