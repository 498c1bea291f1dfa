import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded-postgres.ts'
import { migrate, readMigrations } from '../apps/server/src/platform/db/migrate.ts'
import { openPool } from '../apps/server/src/platform/db/pool.ts'
import { type Catalogue, compareCatalogues, readCatalogue } from './db-catalogue.ts'

/**
 * Shows in what the database made by the migrations of a git revision differs from that of the working tree: `npm run db:compare -- main`.
 * Each has its own PostgreSQL, because roles belong to the server.
 */
const revision = process.argv[2] ?? 'HEAD'
const migrationsFolder = 'apps/server/migrations'
const folder = mkdtempSync(join(tmpdir(), 'lis-compare-'))

const catalogueOf = async (name: string, migrations: string): Promise<Catalogue> => {
  const postgres = await startEmbeddedPostgres(join(folder, name), { settings: { fsync: 'off' } })
  const pool = openPool(postgres.url)
  try {
    await migrate(pool, readMigrations(migrations))
    return await readCatalogue(pool)
  } finally {
    await pool.end()
    await postgres.stop()
  }
}

const filesAt = (commit: string): string => {
  const out = join(folder, 'files')
  mkdirSync(out)
  const archive = execFileSync('git', ['archive', commit, migrationsFolder], { maxBuffer: 1 << 26 })
  execFileSync('tar', ['-x', '-C', out], { input: archive })
  return join(out, migrationsFolder)
}

try {
  const before = await catalogueOf('before', filesAt(revision))
  const after = await catalogueOf('after', migrationsFolder)
  const differences = compareCatalogues(before, after)
  const inOrderOnly = differences.filter((difference) => difference.startsWith('order of columns')).length
  for (const difference of differences) console.log(difference)
  console.log(
    `${before.size} objects at ${revision}, ${after.size} here. ${differences.length} differences, ${inOrderOnly} of them in the order of columns.`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
