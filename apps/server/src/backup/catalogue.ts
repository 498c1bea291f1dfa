import type { PoolClient } from 'pg'
import { jobsSchema } from '../platform/jobs/boss.ts'
import type { AuditHead, PartBounds, SequencePart } from './manifest.ts'

type Table = { schema: string; name: string; columns: string[]; parts: PartBounds[] }

const schemas = ['public', jobsSchema]

/** Objects of an extension are created with the extension. */
const isNotOfExtension = (column: string) =>
  `not exists (select from pg_depend d where d.objid = ${column} and d.deptype = 'e')`

/** Every logged table; unlogged ones are not backed up. A partitioned table counts as one. */
export const listTables = async (client: PoolClient): Promise<Table[]> => {
  const { rows } = await client.query<Table>(
    `select n.nspname::text as schema, c.relname::text as name,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
       coalesce((select json_agg(json_build_object('name', p.relname, 'bounds', pg_get_expr(p.relpartbound, p.oid)) order by p.relname)
         from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = c.oid), '[]') as parts
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and (c.relkind = 'r' and not (c.relispartition and n.nspname = 'public') or c.relkind = 'p' and n.nspname = 'public')
       and c.relpersistence = 'p' and ${isNotOfExtension('c.oid')} order by 1, 2`,
    [schemas],
  )
  return rows
}

/** The rows of a table. Those of a partitioned one are in the order of their ids, whatever part they are in. */
export const rowsOf = (client: PoolClient, table: Pick<Table, 'schema' | 'name' | 'columns' | 'parts'>): string => {
  const columns = table.columns.map((column) => client.escapeIdentifier(column)).join(', ')
  return table.parts.length > 0
    ? `(select ${columns} from ${quoted(client, table)} order by id)`
    : `${quoted(client, table)} (${columns})`
}

/** Gives a partitioned table, which is empty, the parts that it had in the backup. */
export const remakeParts = async (client: PoolClient, now: Table, before: readonly PartBounds[]) => {
  const ofMonths = (parts: readonly PartBounds[]) => parts.filter(({ bounds }) => bounds !== 'DEFAULT')
  for (const { name } of ofMonths(now.parts)) await client.query(`drop table ${client.escapeIdentifier(name)}`)
  for (const { name, bounds } of ofMonths(before)) {
    await client.query('select new_part($1, $2)', [now.name, name])
    await client.query(`alter table ${quoted(client, now)} attach partition ${client.escapeIdentifier(name)} ${bounds}`)
  }
}

/** Sequences are not transactional: they are read after the rows, so that no number is used twice. */
export const listSequences = async (client: PoolClient): Promise<SequencePart[]> => {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `select n.nspname::text as schema, c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'S' and ${isNotOfExtension('c.oid')} order by 1, 2`,
    [schemas],
  )
  const found: SequencePart[] = []
  for (const { schema, name } of rows) {
    const { rows: state } = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from ${quoted(client, { schema, name })}`,
    )
    if (state[0]) found.push({ schema, name, ...state[0] })
  }
  return found
}

export const readAuditHead = async (client: Pick<PoolClient, 'query'>): Promise<AuditHead> => {
  const { rows } = await client.query<AuditHead>(`
    select (select count(*) from audit_entry) as rows, coalesce((select max(id) from audit_entry), 0) as "lastId",
      coalesce((select encode(hash, 'hex') from audit_entry order by id desc limit 1), '') as "lastHash",
      (select count(*) from audit_seal) as seals,
      coalesce((select encode(hash, 'hex') from audit_seal order by id desc limit 1), '') as "lastSeal"`)
  return rows[0] as AuditHead
}

export const readQueueVersion = async (client: PoolClient): Promise<number> => {
  const { rows } = await client.query<{ version: number }>(`select version from ${jobsSchema}.version`)
  return rows[0]?.version ?? 0
}

/** Whether the database has no tables. */
export const isEmptyDatabase = async (client: PoolClient): Promise<boolean> => {
  const { rowCount } = await client.query(
    `select from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p', 'v', 'm', 'S') and ${isNotOfExtension('c.oid')} limit 1`,
    [schemas],
  )
  return !rowCount
}

/** Drops everything that the product has created. */
export const emptyDatabase = async (client: PoolClient) => {
  await client.query(
    `drop schema if exists ${jobsSchema} cascade; drop schema if exists public cascade; create schema public`,
  )
}

/** Foreign keys and non-constraint indexes, which would slow a load down or restrict its order. */
export const listDetachable = async (client: PoolClient): Promise<{ drop: string; make: string }[]> => {
  const { rows } = await client.query<{ drop: string; make: string }>(
    `select format('alter table %s drop constraint %I', c.conrelid::regclass, c.conname) as drop,
       format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) as make, 2 as turn
     from pg_constraint c join pg_namespace n on n.oid = c.connamespace
     where c.contype = 'f' and c.conparentid = 0 and n.nspname = any($1)
     union all
     select format('drop index %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid), 1
     from pg_index i join pg_class t on t.oid = i.indrelid join pg_namespace n on n.oid = t.relnamespace
     where n.nspname = 'public' and t.relkind = 'r' and not t.relispartition and not i.indisprimary
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     order by turn`,
    [schemas],
  )
  return rows
}

export const quoted = (client: PoolClient, { schema, name }: { schema: string; name: string }) =>
  `${client.escapeIdentifier(schema)}.${client.escapeIdentifier(name)}`
