import type { Pool } from '../src/platform/db/pool.ts'

/** The file of each large table, by its oid. Another one after a migration means that every row was written again. */
type Files = Map<number, { name: string; file: number }>

/** Large are the tables whose rows grow with orders: those with a bigint key (0001-foundation.sql). */
const large = `select c.oid, c.relname as name, pg_relation_filenode(c.oid) as file from pg_class c
  where c.relkind = 'r' and c.relpersistence = 'p' and c.relnamespace = 'public'::regnamespace
    and exists (select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary and a.atttypid = 'int8'::regtype)`

const readFiles = async (pool: Pool): Promise<Files> => {
  const { rows } = await pool.query<{ oid: number; name: string; file: number }>(large)
  return new Map(rows.map(({ oid, name, file }) => [oid, { name, file }]))
}

/**
 * What a change of the schema does to large tables that would take minutes with many rows, as sentences. The tables may be empty: statements
 * that change rows are noted by triggers.
 */
export const slowChanges = async (pool: Pool, change: () => Promise<unknown>): Promise<string[]> => {
  await watch(pool)
  const before = await readFiles(pool)
  await change()
  const after = await readFiles(pool)
  const { rows: touched } = await pool.query<{ oid: number }>('select distinct oid from touched_by_migration')
  const rewritten = [...before].filter(([oid, { file }]) => after.has(oid) && after.get(oid)?.file !== file)
  return [
    ...rewritten.map(([, { name }]) => `writes every row of ${name} again`),
    ...touched.map(({ oid }) => `changes or deletes rows of ${before.get(oid)?.name}`),
  ].sort()
}

const watch = async (pool: Pool) => {
  await pool.query(`
    create table if not exists touched_by_migration (oid oid);
    create or replace function touched_by_migration() returns trigger language plpgsql as $$
    begin insert into touched_by_migration values (tg_relid); return null; end $$;
    truncate touched_by_migration`)
  const { rows } = await pool.query<{ name: string }>(
    `select l.oid::regclass::text as name from (${large}) l
     where not exists (select from pg_trigger t where t.tgrelid = l.oid and t.tgname = 'touched_by_migration')`,
  )
  for (const { name } of rows)
    await pool.query(
      `create trigger touched_by_migration before update or delete on ${name} for each statement execute function touched_by_migration()`,
    )
}
