import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../src/platform/db/embedded-postgres.ts'
import { prepareDatabase } from '../src/start.ts'
import { openPgBouncer } from './pgbouncer.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Owner address of the migrated database that each test file clones. */
    templateUrl: string
    /** `host:port` of a pooler in transaction mode, `direct` for its rules without one, or null. */
    pooler: string | null
  }
}

/** One real PostgreSQL for the test run with one migrated template; each test file gets a clone of it in about 50 ms. */
export const setup = async (project: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), 'lis-tests-'))
  // Its data is not needed after the run, so it need not be synced to disk.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    shared_buffers: '256MB',
    max_connections: '300',
  }
  const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { settings, database: 'lis_template' })
  await prepareDatabase(postgres.url)
  project.provide('templateUrl', postgres.url)
  const bouncer = process.env.LIS_TEST_POOLER === 'pgbouncer' ? await openPgBouncer(postgres.url) : null
  project.provide('pooler', bouncer ? `127.0.0.1:${bouncer.port}` : (process.env.LIS_TEST_POOLER ?? null))
  return async () => {
    await bouncer?.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
