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
  /** The same through the pooler in transaction mode of the run (LIS_TEST_POOLER), if there is one. */
  pooledUrl: string | null
  /** A replica of it, for DATABASE_REPLICA_URL. */
  replicaUrl?: string
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
  const folder = mkdtempSync(join(tmpdir(), 'lis-test-'))
  const database = testDatabaseAt(url.href, folder, throughPooler(url.href))
  return {
    ...database,
    close: async () => {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
      await onServer(template, (client) => client.query(`drop database if exists ${name} with (force)`))
    },
  }
}

/** A migrated database that somebody else closes. */
export const testDatabaseAt = (url: string, folder: string, pooledUrl: string | null = null): TestDatabase => {
  const owner = openPool(url, { max: 2, name: 'test-owner' })
  const pool = openPool(pooledUrl ?? url, { max: 8, role: appRole, isShared: pooledUrl !== null })
  const databases = scopedDatabases(pool)
  return {
    url,
    pooledUrl,
    owner,
    pool,
    databases,
    db: databases(systemScope),
    folder,
    close: async () => {
      await pool.end()
      await owner.end()
    },
  }
}

/** The same database through the pooler of the run, if there is one. */
const throughPooler = (url: string): string | null => {
  const pooler = inject('pooler')
  if (!pooler || pooler === 'direct') return pooler ? url : null
  const through = new URL(url)
  through.host = pooler
  return through.href
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
