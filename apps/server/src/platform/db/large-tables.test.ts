import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { slowChanges } from '../../../test/large-tables.ts'
import { migrate, readMigrations } from './migrate.ts'
import { openPool, type Pool } from './pool.ts'

/** The first file that can find rows: those before it make the tables of 1.0. */
const firstOnRows = '0021'

let test: TestDatabase
let pool: Pool
const name = `large_${randomUUID().replaceAll('-', '')}`
beforeAll(async () => {
  test = await openTestDatabase()
  await test.owner.query(`create database ${name} template template0`)
  pool = openPool(Object.assign(new URL(test.url), { pathname: `/${name}` }).href, { max: 2, name: 'test-large' })
})
afterAll(async () => {
  await pool.end()
  await test.owner.query(`drop database ${name} with (force)`)
  await test.close()
})

const upTo = (isWanted: (file: string) => boolean) =>
  migrate(
    pool,
    readMigrations().filter((file) => isWanted(file.name)),
  )

describe('a migration', () => {
  it('SCALE-06 never writes all rows of a large table in one statement', { timeout: 600_000 }, async () => {
    const files = readMigrations().map((file) => file.name)
    await upTo((file) => file < firstOnRows)
    const found: [string, string[]][] = []
    for (const file of files.filter((one) => one >= firstOnRows)) {
      const changes = await slowChanges(pool, () => upTo((one) => one <= file))
      if (changes.length > 0) found.push([file, changes])
    }
    expect(found).toEqual([])
  })

  it.each([
    ['alter table specimen add column tried int default (random() * 10)::int', ['writes every row of specimen again']],
    [
      "update patient set first_name = trim(first_name) where first_name like ' %'",
      ['changes or deletes rows of patient'],
    ],
    ['alter table requisition add column tried int not null default 7; create table tried (id bigint primary key)', []],
  ])('SCALE-06 %s: is distinguished from a fast one', async (sql, changes) => {
    const client = await pool.connect()
    try {
      const trial = { query: (text: string, values?: unknown[]) => client.query(text, values) } as unknown as Pool
      await client.query('begin')
      expect(await slowChanges(trial, () => client.query(sql))).toEqual(changes)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})
