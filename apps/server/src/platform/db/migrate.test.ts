import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashSetting } from '../../../seeds/lookups.ts'
import { readSetting } from '../../../seeds/settings.ts'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { onQuietMachine } from '../../../test/quiet-machine.ts'
import { prepareDatabase } from '../../start.ts'
import { StartError } from '../start-error.ts'
import { isOfNewerProgram, migrate, readMigrations } from './migrate.ts'

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

  it('SCALE-06 starts the release before on a database whose later migrations all say that it can, and leaves its lists', async () => {
    const sql = '-- Foundation\n-- Compatible with the release before.\nalter table setting add column later int;\n'
    const newer = [...readMigrations(), { name: '9990-later', sql, hash: 'a', isCompatible: true }]
    expect(await migrate(database.owner, newer)).toEqual(['9990-later'])
    await database.owner.query('delete from setting where key = $1', [hashSetting])
    await prepareDatabase(database.url)
    expect(await readSetting(database.owner, hashSetting)).toBeUndefined()
    // The newer program writes its lists when it starts again.
    expect(await isOfNewerProgram(database.owner, newer)).toBe(false)

    const later = [...newer, { name: '9991-later', sql: 'drop table setting', hash: 'a', isCompatible: false }]
    await migrate(database.owner, later)
    await expect(prepareDatabase(database.url)).rejects.toThrow(
      'The database is newer than this program: it has migration 9991-later. Start the newer program.',
    )
  })

  it('SCALE-06 takes a file for compatible by a comment line at its beginning only', async () => {
    const folder = join(database.folder, 'migrations')
    mkdirSync(folder)
    const files = {
      '9990-both': '-- Foundation\n-- Compatible with the release before.\nselect 1;\n',
      '9991-none': '-- Foundation\nselect 1;\n',
      '9992-late': '-- Foundation\nselect 1;\n-- Compatible with the release before.\n',
    }
    for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, `${name}.sql`), sql)
    const read = readMigrations(folder)
    expect(read.map(({ name, isCompatible }) => [name, isCompatible])).toEqual([
      ['9990-both', true],
      ['9991-none', false],
      ['9992-late', false],
    ])
    await migrate(database.owner, [...readMigrations(), ...read])
    const { rows } = await database.owner.query(
      `select name, is_compatible from schema_migration where name >= '9990' order by name`,
    )
    expect(rows.map(({ is_compatible }) => is_compatible)).toEqual([true, false, false])
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
    await expect.poll(async () => (await database.pool.query(waiting)).rowCount).toBe(1)
    const began = performance.now()
    await database.pool.query('select count(*) from setting')
    expect(performance.now() - began).toBeLessThan(onQuietMachine(4000))
    await blocker.query('commit')
    blocker.release()
    expect(await migrating).toEqual(['9002-waits'])
  })
})
