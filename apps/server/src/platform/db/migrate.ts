import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PoolClient } from 'pg'
import { StartError } from '../start-error.ts'
import type { Pool } from './pool.ts'

const folder = join(import.meta.dirname, '../../../migrations')
// Several processes may start at once; one of them migrates while the others wait for the lock.
const lockKey = 4_110_001

export interface Migration {
  name: string
  sql: string
  hash: string
  /** The release before can work with a database that has it. */
  isCompatible?: boolean
}

/** One of the comment lines at the beginning of the file. */
const compatibleLine = /^(?:--.*\n)*?-- Compatible with the release before\.\n/

export const readMigrations = (from = folder): Migration[] =>
  readdirSync(from)
    .filter((file) => /^\d{4}-[a-z0-9-]+\.sql$/.test(file))
    .sort()
    .map((file) => {
      const sql = readFileSync(join(from, file), 'utf8')
      return {
        name: file.replace(/\.sql$/, ''),
        sql,
        hash: createHash('sha256').update(sql).digest('hex'),
        isCompatible: compatibleLine.test(sql),
      }
    })

/** Applies the missing migrations, each file in its own transaction. Forward only; an applied file must never change. */
export const migrate = async (pool: Pool, migrations = readMigrations()): Promise<string[]> => {
  const client = await pool.connect()
  const applied: string[] = []
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await client.query(`create table if not exists schema_migration (
      name text primary key, hash text not null, applied_at timestamptz not null default now())`)
    const done = await readDone(client)
    refuseUnknown(done, migrations)
    for (const migration of migrations.filter(({ name }) => !done.has(name))) {
      await applyOnceUnlocked(client, migration)
      applied.push(migration.name)
    }
    if (applied.length > 0) await client.query('analyze')
    return applied
  } finally {
    await client.query('select pg_advisory_unlock($1)', [lockKey]).catch(() => undefined)
    client.release()
  }
}

interface Done {
  hash: string
  isCompatible: boolean
}

/** By name. As JSON, because a database of before migration 0410 has no column `is_compatible`. */
const readDone = async (db: Pick<PoolClient, 'query'>): Promise<Map<string, Done>> => {
  const { rows } = await db.query<Done & { name: string }>(
    `select name, hash, coalesce((to_json(m)->>'is_compatible')::boolean, false) as "isCompatible" from schema_migration m`,
  )
  return new Map(rows.map(({ name, ...done }) => [name, done]))
}

/** Whether a newer program has migrated the database. */
export const isOfNewerProgram = async (pool: Pool, migrations = readMigrations()): Promise<boolean> => {
  const known = new Set(migrations.map(({ name }) => name))
  return [...(await readDone(pool)).keys()].some((name) => !known.has(name))
}

/** Others queue behind a migration that waits for a lock, so it waits only this long at a time, and lets them pass. */
const longestLockWait = '2s'
const pauseMs = 1000
const lockAttempts = 150

const applyOnceUnlocked = async (client: PoolClient, migration: Migration) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await apply(client, migration)
    } catch (error) {
      const isLocked = (error as { code?: string }).code === '55P03'
      if (!isLocked || attempt >= lockAttempts)
        throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, { cause: error })
      await new Promise((later) => setTimeout(later, pauseMs))
    }
  }
}

const apply = async (client: PoolClient, migration: Migration) => {
  await client.query(`begin; set local lock_timeout = '${longestLockWait}'`)
  try {
    await client.query(migration.sql)
    // From JSON, for the same reason as in `readDone`.
    await client.query(
      `insert into schema_migration select * from json_populate_record(null::schema_migration,
        json_build_object('name', $1::text, 'hash', $2::text, 'applied_at', now(), 'is_compatible', $3::boolean))`,
      [migration.name, migration.hash, migration.isCompatible ?? false],
    )
    await auditMigration(client, migration.name)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** A migration may change records, so it is audited like every other change. The files before the audit table only create tables. */
const auditMigration = async (client: PoolClient, name: string) => {
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('audit_entry') is not null as "isThere"`,
  )
  if (!rows[0]?.isThere) return
  await client.query(
    `insert into audit_entry (entity, entity_id, action, actor_name, chain_no, hash) values ('schema', $1, 'MIGRATE', $2, 0, '')`,
    [Number.parseInt(name, 10), `Migration ${name}`],
  )
}

/** The first file of the versions before 1.0. Their migrations were replaced, so their databases cannot be upgraded. */
const firstBeforeRelease = '0001-platform'

const refuseUnknown = (done: ReadonlyMap<string, Done>, migrations: Migration[]) => {
  if (done.has(firstBeforeRelease))
    throw new StartError(
      'The database was made by a version before 1.0, which this version cannot take over; it was left as it is. Start with an empty one: another folder in LIS_DATA_DIR, or another database in DATABASE_URL.',
    )
  const byName = new Map(migrations.map((migration) => [migration.name, migration.hash]))
  for (const [name, { hash, isCompatible }] of done) {
    const here = byName.get(name)
    if (!here && isCompatible) continue
    if (!here)
      throw new StartError(
        `The database is newer than this program: it has migration ${name}. Start the newer program.`,
      )
    if (here !== hash)
      throw new StartError(`Migration ${name} was changed after it had been applied. Add a new migration instead.`)
  }
}
