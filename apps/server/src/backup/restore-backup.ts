import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Pool, PoolClient } from 'pg'
import { jobDefinitions } from '../jobs.ts'
import { verifyLists } from '../modules/requisition-list/verify-lists.ts'
import { auditKey } from '../platform/audit/key.ts'
import { appendSealsToFile, listSeals } from '../platform/audit/seal.ts'
import { describeFault, verifyAudit } from '../platform/audit/verify.ts'
import { type Migration, migrate, readMigrations } from '../platform/db/migrate.ts'
import { queueSchemaVersion } from '../platform/jobs/boss.ts'
import { prepareJobs } from '../platform/jobs/prepare.ts'
import { StartError } from '../platform/start-error.ts'
import type { ObjectStore } from '../platform/storage/object-store.ts'
import { prepareDatabase } from '../start.ts'
import { emptyDatabase, isEmptyDatabase, readAuditHead } from './catalogue.ts'
import type { CheckedBackup } from './check-backup.ts'
import { loadRows } from './load-rows.ts'
import { type FilePart, type Manifest, objectFile, secretFingerprint } from './manifest.ts'

export interface RestoreInput {
  backup: CheckedBackup
  pool: Pool
  databaseUrl: string
  store: ObjectStore
  secret: string
  /** The folder of the audit's external record, empty or missing; the seals of the restored audit are copied to it. */
  auditFolder: string
  /** For how many years reports are kept. */
  recordYears: number
  /** Removes what the database holds now. */
  replace?: boolean
  /** The old secret is lost: what was encrypted with it is removed. */
  newSecret?: boolean
  /** Called after all checks, right before anything is removed. */
  beforeReplacing?: () => void
}

/** Sentences about what differs from the backup; none if everything is right. */
export type RestoreFaults = string[]

/** Restores a backup into an empty database and store, migrates both to this version, and verifies the result. */
export const restoreBackup = async (input: RestoreInput): Promise<RestoreFaults> => {
  const compatible = requireCompatibleBackup(input)
  await emptyTarget(input)
  try {
    return await fill(input, compatible)
  } catch (error) {
    const said = `${(error as Error).message}\n${await undo(input)}`
    throw error instanceof StartError ? new StartError(said) : new Error(said, { cause: error })
  }
}

/** Nobody should work with an incomplete restore. Files stay: in an external store they may have existed before. */
const undo = async ({ pool }: RestoreInput): Promise<string> => {
  try {
    await withClient(pool, emptyDatabase)
    return 'Nothing was restored, and the database is empty again. Files that were put back already stay: try again with --replace.'
  } catch (error) {
    return `The database could not be emptied again (${(error as Error).message}) and holds a part of the backup: try again with --replace.`
  }
}

const fill = async (
  input: RestoreInput,
  { migrations, hasOtherSecret }: ReturnType<typeof requireCompatibleBackup>,
) => {
  const { manifest, folder, files } = input.backup
  await migrate(input.pool, migrations)
  await prepareJobs(input.databaseUrl, jobDefinitions)
  await withClient(input.pool, (client) => loadRows(client, folder, manifest))
  const head = await readAuditHead(input.pool)
  if (manifest.files.isIncluded) await putFiles(input.store, folder, files)
  await prepareDatabase(input.databaseUrl)
  // After the migration, since a backup may be of an earlier version.
  if (hasOtherSecret) await removeEncrypted(input.pool)
  await appendSealsToFile(input.auditFolder, auditKey(input.secret), await listSeals(input.pool))
  await input.pool.query('analyze')
  const faults = await verifyRestored(input, files, hasOtherSecret)
  return JSON.stringify(head) === JSON.stringify(manifest.audit)
    ? faults
    : ['The audit does not end where it ended in the backup', ...faults]
}

/** Rejects a backup that could not be restored, before anything is changed. */
export const requireCompatibleBackup = ({
  backup,
  secret,
  newSecret,
}: Pick<RestoreInput, 'backup' | 'secret' | 'newSecret'>) => {
  if (backup.faults.length > 0) throw new StartError(`The backup is damaged: ${backup.faults.join(', ')}`)
  const migrations = migrationsOf(backup.manifest)
  refuseOtherQueue(backup.manifest)
  const hasOtherSecret = backup.manifest.secret !== secretFingerprint(secret)
  if (hasOtherSecret && !newSecret) throw new StartError(otherSecret)
  return { migrations, hasOtherSecret }
}

const otherSecret = `The backup was made with another secret. Start again with that LIS_SECRET, or with its secret.key in the data folder.
If it is lost: --new-secret. Everybody then signs in again, authenticator apps have to be set up again, and links that were sent no longer work.`

/** This version must have every migration of the backup unchanged; later ones are applied after the rows are loaded. */
const migrationsOf = ({ migrations, program }: Manifest): Migration[] => {
  const known = new Map(readMigrations().map((migration) => [migration.name, migration]))
  return migrations.map(({ name, hash }) => {
    const here = known.get(name)
    if (here?.hash !== hash)
      throw new StartError(
        `The backup is of version ${program} and has migration ${name}, which this program does not have. Restore it with that version.`,
      )
    return here
  })
}

const refuseOtherQueue = ({ queueVersion, program }: Manifest) => {
  if (queueSchemaVersion !== queueVersion)
    throw new StartError(
      `The queue of this program has another shape (${queueSchemaVersion}) than the one in the backup (${queueVersion}). Restore it with version ${program}, then upgrade.`,
    )
}

const emptyTarget = ({ pool, backup, recordYears, replace, beforeReplacing }: RestoreInput) =>
  withClient(pool, async (client) => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*) as n from pg_stat_activity where datname = current_database() and application_name ~ '^lis($|-)' and application_name <> 'lis-restore'`,
    )
    if (rows[0]?.n) throw new StartError('Servers, workers or tools are connected to this database. Stop them first.')
    const isEmpty = await isEmptyDatabase(client)
    if (!isEmpty && !replace)
      throw new StartError(
        'The database is not empty. A backup is restored into an empty one; --replace removes what is there now.',
      )
    await requireNoReportLoss(client, backup.manifest, recordYears)
    beforeReplacing?.()
    if (!isEmpty) await emptyDatabase(client)
  })

/** Reports that have to be kept and that the backup cannot have, because they were made after it. */
const requireNoReportLoss = async (client: PoolClient, { madeAt }: Manifest, years: number) => {
  const { rows: tables } = await client.query<{ name: string | null }>(
    `select to_regclass('public.report_version') as name`,
  )
  if (tables[0]?.name === null) return
  const { rows } = await client.query<{ n: number }>(
    'select count(*)::int as n from report_version where created_at > $1 and created_at > now() - make_interval(years => $2)',
    [madeAt, years],
  )
  if (rows[0]?.n)
    throw new StartError(
      `The database holds ${rows[0].n} report versions that were made after this backup and have to be kept for ${years} years. Restore into another, empty database.`,
    )
}

const withClient = async <Result>(pool: Pool, work: (client: PoolClient) => Promise<Result>): Promise<Result> => {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

/** Removes what only the lost secret could decrypt (docs/operations.md, the secret). */
const removeEncrypted = async (pool: Pool) => {
  await pool.query('update identity_signing_key set retired_at = now() where retired_at is null')
  await pool.query(
    `update identity_user set totp_secret = null, totp_verified_at = null, mfa_preference = 'SMS' where mfa_preference = 'TOTP'`,
  )
  await pool.query('update identity_user set totp_pending_secret = null where totp_pending_secret is not null')
}

const putFiles = async (store: ObjectStore, folder: string, files: FilePart[]) => {
  // The content type is set when a file is downloaded; the store need not know it.
  for (const { key } of files)
    await store.put(key, createReadStream(join(folder, objectFile(key))), 'application/octet-stream')
}

const verifyRestored = async (
  { pool, store, secret, auditFolder }: RestoreInput,
  files: FilePart[],
  hasOtherSecret: boolean,
): Promise<string[]> => {
  const audit = await verifyAudit(pool, { secret, folder: auditFolder })
  // Seals of a lost secret cannot be verified by their MAC; the next one is made with the new secret.
  const faults = audit.faults.filter(({ kind }) => !(hasOtherSecret && kind === 'key'))
  const lists = await verifyLists(pool)
  const missing: string[] = []
  for (const { key, bytes } of files) if ((await store.stat(key))?.size !== bytes) missing.push(key)
  return [
    ...faults.map((fault) => `Audit: ${describeFault(fault)}`),
    ...lists,
    ...missing.map((key) => `File ${key} is not in the store`),
  ]
}
