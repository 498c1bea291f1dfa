import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeBackup } from '../backup/make-backup.ts'
import { openPool } from '../platform/db/pool.ts'
import { openDatabaseForTool } from '../platform/open-database.ts'
import { StartError } from '../platform/start-error.ts'
import { openObjectStore } from '../platform/storage/open-object-store.ts'
import { runProgram } from '../start.ts'

const usage = `Usage: npm run backup -- [FOLDER] [--with-objects]
  FOLDER          the parent folder of the new backup; backups/ by default
  --with-objects  with an external store (S3): also copies its objects, not only their list`

/** Copies database and files, with or without a running server. Unlike the other tools it changes nothing, not even an old schema. */
await runProgram(async (config) => {
  const { into, withObjects } = readArguments()
  const database = await openDatabaseForTool(config)
  const pool = openPool(database.url, { max: 1, name: 'lis-backup' })
  try {
    const began = performance.now()
    const opened = await openObjectStore(config)
    const backup = await makeBackup({
      pool,
      ...opened,
      bucket: config.S3_BUCKET,
      secret: config.secret,
      into,
      withObjects,
    })
    const { tables, files } = backup.manifest
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    console.log(`${backup.folder}`)
    console.log(
      `${rows} rows of ${tables.length} tables and ${files.count} files in ${((performance.now() - began) / 1000).toFixed(1)} s.`,
    )
    if (!files.isIncluded)
      console.log(
        `The files are in the bucket ${files.place} and only listed here: the bucket needs a backup of its own (versions or a copy).`,
      )
    console.log('The secret is not in it. Keep secret.key or LIS_SECRET in another safe place.')
    for (const key of backup.faults) console.error(`The store does not have ${key} as the database knows it`)
    if (backup.faults.length > 0) process.exitCode = 1
  } finally {
    await pool.end()
    await database.close()
  }
})

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'with-objects': { type: 'boolean' } },
    })
    if (positionals.length > 1) throw new Error('One folder is enough.')
    return { into: resolve(positionals[0] ?? 'backups'), withObjects: values['with-objects'] ?? false }
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${usage}`)
  }
}
