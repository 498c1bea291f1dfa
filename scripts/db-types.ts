import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded-postgres.ts'
import { migrate, readMigrations } from '../apps/server/src/platform/db/migrate.ts'
import { openPool } from '../apps/server/src/platform/db/pool.ts'
import { schemaPage } from './schema-page.ts'

/** Writes platform/db/types.ts and docs/schema.md from the migrated schema: `npm run db:types` after each new migration. */
const typesFile = 'apps/server/src/platform/db/types.ts'
const folder = mkdtempSync(join(tmpdir(), 'lis-types-'))
const postgres = await startEmbeddedPostgres(join(folder, 'postgres'), { settings: { fsync: 'off' } })
try {
  const pool = openPool(postgres.url)
  await migrate(pool)
  writeFileSync('docs/schema.md', await schemaPage(pool, readMigrations()))
  await pool.end()
  execFileSync(
    process.execPath,
    [
      'node_modules/kysely-codegen/dist/cli/bin.js',
      '--dialect=postgres',
      `--url=${postgres.url}`,
      `--out-file=${typesFile}`,
      '--type-only-imports',
      `--type-mapping=${JSON.stringify({ timestamptz: 'string', date: 'string', numeric: 'string', int8: 'number' })}`,
    ],
    { stdio: 'inherit' },
  )
  execFileSync('node_modules/.bin/biome', ['check', '--write', typesFile], { stdio: 'inherit' })
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
