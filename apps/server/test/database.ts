import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { Db } from '../src/platform/db/db.ts'
import { appRole, openPool, type Pool } from '../src/platform/db/pool.ts'
import { type ScopedDb, scopedDatabases, systemScope } from '../src/platform/db/scope.ts'

export interface TestDatabase {
  /** Connects as the owner. */
  url: string
  owner: Pool
  pool: Pool
  databases: ScopedDb
  db: Db
  /** A temporary folder, removed with the database. */
  folder: string
  close: () => Promise<void>
}

/** A clone of the migrated template with all lookup data, for one test file. */
export const openTestDatabase = async (): Promise<TestDatabase> => {
  const template = new URL(inject('templateUrl'))
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(template, async (client) => {
    // Cloning needs exclusive access to the template; test files that start together take turns.
    await client.query('select pg_advisory_lock(4110009)')
    await client.query(`create database ${name} template ${template.pathname.slice(1)} strategy file_copy`)
  })
  const url = new URL(template)
  url.pathname = `/${name}`
  const owner = openPool(url.href, { max: 2, name: 'test-owner' })
  const pool = openPool(url.href, { max: 8, role: appRole })
  const databases = scopedDatabases(pool)
  const folder = mkdtempSync(join(tmpdir(), 'lis-test-'))
  return {
    url: url.href,
    owner,
    pool,
    databases,
    db: databases(systemScope),
    folder,
    close: async () => {
      await pool.end()
      await owner.end()
      rmSync(folder, { recursive: true, force: true })
      await onServer(template, (client) => client.query(`drop database if exists ${name} with (force)`))
    },
  }
}

const onServer = async (template: URL, run: (client: pg.Client) => Promise<unknown>) => {
  const address = new URL(template)
  address.pathname = '/postgres'
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  try {
    await run(client)
  } finally {
    await client.end()
  }
}
