import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { StartError } from '../start-error.ts'
import { migrate, readMigrations } from './migrate.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(() => database.close())

const applied = async () => {
  const { rows } = await database.owner.query('select name, hash from schema_migration order by name')
  return rows
}

describe('migrate', () => {
  it('applies nothing to a database that is up to date', async () => {
    expect(await migrate(database.owner)).toEqual([])
    expect((await applied()).map(({ name }) => name)).toEqual(readMigrations().map(({ name }) => name))
  })

  it('rejects a database of a version before 1.0, says what to do, and leaves it unchanged', async () => {
    await database.owner.query("truncate schema_migration; insert into schema_migration values ('0001-platform', 'a')")
    const before = await applied()
    const refused = migrate(database.owner)
    await expect(refused).rejects.toThrow(StartError)
    await expect(refused).rejects.toThrow(
      /made by a version before 1\.0.*Start with an empty one: another folder in LIS_DATA_DIR, or another database in DATABASE_URL\.$/,
    )
    expect(await applied()).toEqual(before)
  })

  it('rejects a database that has a later migration', async () => {
    await database.owner.query("insert into schema_migration values ('9999-later', 'a')")
    await expect(migrate(database.owner)).rejects.toThrow('The database is newer than this program')
  })

  it('rejects a file that was changed after it had been applied', async () => {
    const [first, ...others] = readMigrations()
    const changed = [{ ...first, hash: 'b' } as (typeof others)[number], ...others]
    await expect(migrate(database.owner, changed)).rejects.toThrow(`Migration ${first?.name} was changed`)
  })

  it('applies a new file atomically, with an audit row', async () => {
    const next = (name: string, sql: string) => [...readMigrations(), { name, sql, hash: 'c' }]
    const fails = next('9000-fails', 'create table halfway (id int); select 1 / 0')
    await expect(migrate(database.owner, fails)).rejects.toThrow('Migration 9000-fails failed: division by zero')
    const { rows } = await database.owner.query("select to_regclass('halfway') as found")
    expect(rows).toEqual([{ found: null }])
    expect(await migrate(database.owner, next('9001-works', 'create table whole (id int)'))).toEqual(['9001-works'])
    const { rows: audit } = await database.owner.query(
      "select action, actor_name from audit_entry where entity = 'schema' and entity_id = 9001",
    )
    expect(audit).toEqual([{ action: 'MIGRATE', actor_name: 'Migration 9001-works' }])
  })

  it('waits for a lock two seconds at a time, so that others pass it, and tries again', async () => {
    const blocker = await database.pool.connect()
    await blocker.query('begin; lock table setting in access share mode')
    const sql = 'alter table setting add column tried int'
    const migrating = migrate(database.owner, [...readMigrations(), { name: '9002-waits', sql, hash: 'd' }])
    const waiting = "select from pg_locks where not granted and relation = 'setting'::regclass"
    await expect.poll(async () => (await database.pool.query(waiting)).rowCount, { timeout: 20_000 }).toBe(1)
    const began = performance.now()
    await database.pool.query('select count(*) from setting')
    expect(performance.now() - began).toBeLessThan(4000)
    await blocker.query('commit')
    blocker.release()
    expect(await migrating).toEqual(['9002-waits'])
  })
})
