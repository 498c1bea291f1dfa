import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readMigrations } from '../apps/server/src/platform/db/migrate.ts'
import { openTestDatabase, type TestDatabase } from '../apps/server/test/database.ts'
import { schemaPage } from './schema-page.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

it('docs/schema.md is what `npm run db:types` writes from the database of today', async () => {
  expect(readFileSync('docs/schema.md', 'utf8')).toBe(await schemaPage(database.owner, readMigrations()))
})

it('a table without a sentence is named', async () => {
  await database.owner.query('create table unknown_thing (id int)')
  await expect(schemaPage(database.owner, readMigrations())).rejects.toThrow('with COMMENT ON: unknown_thing')
  await database.owner.query('drop table unknown_thing')
})
