import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type CheckedBackup, checkBackup } from '../backup/check-backup.ts'
import { requireCompatibleBackup, restoreBackup } from '../backup/restore-backup.ts'
import { auditFolder } from '../platform/audit/external-record.ts'
import type { Config } from '../platform/config.ts'
import { findDataFolderHolder } from '../platform/data-folder.ts'
import { openPool } from '../platform/db/pool.ts'
import { openDatabase } from '../platform/open-database.ts'
import { StartError } from '../platform/start-error.ts'
import { openObjectStore } from '../platform/storage/open-object-store.ts'
import { runProgram } from '../start.ts'

const usage = `Usage: npm run restore -- BACKUP [--replace] [--new-secret]
  BACKUP        a folder that npm run backup has made
  --replace     takes the place of what is there now: an embedded database and files on disk are set aside, an external database is emptied
  --new-secret  the secret of the backup is lost; see docs/operations.md`

await runProgram(async (config) => {
  const { folder, replace, newSecret } = readArguments()
  const holder = config.DATABASE_URL ? null : findDataFolderHolder(config.dataDir)
  if (holder) throw new StartError(`The LIS runs on ${config.dataDir} as process ${holder.pid}. Stop it first.`)
  console.log('Reading the backup …')
  const backup = await checkBackup(folder)
  requireCompatibleBackup({ backup, secret: config.secret, newSecret })
  if (!replace) requireEmpty(config.S3_BUCKET ? ['audit'] : ['audit', 'files'], config)
  // With the embedded PostgreSQL everything is set aside before it starts, under the lock; with an external one after it has been checked.
  let aside: string | null = null
  const setAsideIfReplacing = () => {
    if (replace) aside = setAside(config)
  }
  try {
    await restore({ config, backup, replace, newSecret, setAsideIfReplacing })
  } catch (error) {
    if (!aside) throw error
    const message = `${(error as Error).message}\nWhat was there before is in ${aside}.`
    throw error instanceof StartError ? new StartError(message) : new Error(message, { cause: error })
  }
})

interface Restore {
  config: Config
  backup: CheckedBackup
  replace: boolean
  newSecret: boolean
  setAsideIfReplacing: () => void
}

async function restore({ config, backup, replace, newSecret, setAsideIfReplacing }: Restore) {
  const database = await openDatabase(config, 'tool', setAsideIfReplacing)
  const pool = openPool(database.url, { max: 2, name: 'lis-restore' })
  try {
    const { store } = await openObjectStore(config)
    console.log('Restoring …')
    const faults = await restoreBackup({
      backup,
      pool,
      databaseUrl: database.url,
      store,
      secret: config.secret,
      recordYears: config.RECORD_YEARS,
      auditFolder: auditFolder(config.dataDir),
      replace,
      newSecret,
      ...(config.DATABASE_URL && { beforeReplacing: setAsideIfReplacing }),
    })
    for (const fault of faults) console.error(fault)
    const rows = backup.manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    console.log(
      `${rows} rows and ${backup.files.length} files as of ${backup.manifest.madeAt}: audit, lists and files checked, ${faults.length} faults.`,
    )
    if (faults.length > 0) process.exitCode = 1
  } finally {
    await pool.end()
    await database.close()
  }
}

function readArguments() {
  try {
    const options = { replace: { type: 'boolean' }, 'new-secret': { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ allowPositionals: true, options })
    const [folder] = positionals
    if (!folder || positionals.length > 1) throw new Error('Which backup?')
    return { folder: resolve(folder), replace: values.replace ?? false, newSecret: values['new-secret'] ?? false }
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
}

/** Nothing is deleted: what a restore replaces is moved to a folder beside it until a person removes it. */
function setAside({ dataDir, DATABASE_URL, S3_BUCKET }: Config): string | null {
  const parts = ['audit', ...(DATABASE_URL ? [] : ['postgres', 'postgres.password']), ...(S3_BUCKET ? [] : ['files'])]
  const there = parts.filter((part) => existsSync(join(dataDir, part)))
  if (there.length === 0) return null
  const aside = join(dataDir, `replaced-${new Date().toISOString().replaceAll(':', '-')}`)
  mkdirSync(aside, { mode: 0o700 })
  for (const part of there) renameSync(join(dataDir, part), join(aside, part))
  console.log(`What was there is now in ${aside}.`)
  return aside
}

function requireEmpty(parts: readonly string[], { dataDir }: Config) {
  const filled = parts
    .map((part) => join(dataDir, part))
    .find((folder) => existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith('.')))
  if (filled)
    throw new StartError(
      `${filled} is not empty. A backup is restored into an empty folder; --replace sets aside what is there now.`,
    )
}
