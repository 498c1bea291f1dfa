import { join } from 'node:path'
import pg from 'pg'
import type { Config } from './config.ts'
import { type FolderUse, findDataFolderHolder, lockDataFolder } from './data-folder.ts'
import { runningEmbeddedUrl, startEmbeddedPostgres } from './db/embedded-postgres.ts'
import { DatabaseHosts } from './db/hosts.ts'
import { isTransactionPooled } from './db/pooler.ts'
import type { Log } from './log.ts'
import { StartError } from './start-error.ts'

export interface OpenDatabase {
  /** Connects as the owner of the schema, directly; the server itself adds the role `lis_app`. */
  url: string
  isEmbedded: boolean
  close: () => Promise<void>
}

/** The database of this process: the one named by DATABASE_URL, or our own PostgreSQL under the data folder. */
export const openDatabase = async (
  config: Config,
  use: FolderUse = 'server',
  /** Called before our own PostgreSQL starts, while the data folder is locked. */
  beforeStart: () => void = () => undefined,
): Promise<OpenDatabase> => {
  if (config.DATABASE_URL) {
    const url = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
    await requireUsable(url, config.DATABASE_DIRECT_URL ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL')
    return { url, isEmbedded: false, close: async () => undefined }
  }
  const unlock = lockDataFolder(config.dataDir, use)
  try {
    beforeStart()
    const postgres = await startEmbeddedPostgres(join(config.dataDir, 'postgres'))
    return {
      url: postgres.url,
      isEmbedded: true,
      close: async () => {
        await postgres.stop()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** For tools, which may run beside a server: they use the server's PostgreSQL if it runs, otherwise they start one temporarily. */
export const openDatabaseForTool = async (config: Config): Promise<OpenDatabase> => {
  if (config.DATABASE_URL || !hasServer(config.dataDir)) return openDatabase(config, 'tool')
  return { url: runningEmbeddedUrl(join(config.dataDir, 'postgres')), isEmbedded: true, close: async () => undefined }
}

/**
 * For a worker. It never starts its own PostgreSQL, because a server that starts later would find the folder in use. It waits for the server,
 * and calls `onMoved` when the database has got another address.
 */
export const openDatabaseForWorker =
  (onMoved: () => void) =>
  async (config: Config): Promise<OpenDatabase> => {
    if (config.DATABASE_URL) return openDatabase(config)
    const folder = join(config.dataDir, 'postgres')
    const url = await waitForServer(config.dataDir, folder)
    const watch = setInterval(() => {
      const now = findRunningUrl(folder)
      if (now !== null && now !== url) onMoved()
    }, checkMs).unref()
    return { url, isEmbedded: true, close: async () => clearInterval(watch) }
  }

const checkMs = 1000

const hasServer = (dataDir: string) => findDataFolderHolder(dataDir)?.use === 'server'

const waitForServer = async (dataDir: string, folder: string): Promise<string> => {
  for (let hasLogged = false; ; hasLogged = true) {
    const url = hasServer(dataDir) ? findRunningUrl(folder) : null
    if (url !== null && (await canConnect(url))) return url
    if (!hasLogged) console.log(`Waiting for a server on ${dataDir} …`)
    await new Promise((later) => setTimeout(later, checkMs))
  }
}

/** Null while it does not run, or is still starting. */
const findRunningUrl = (folder: string): string | null => {
  try {
    return runningEmbeddedUrl(folder)
  } catch {
    return null
  }
}

const canConnect = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

const requireUsable = async (url: string, setting: string) => {
  const hosts = new DatabaseHosts(url)
  const client = new pg.Client({ ...hosts.clientConfig(), connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    )
    if ((rows[0]?.version ?? 0) < 150_000)
      throw new StartError(`PostgreSQL 15 or newer is needed; ${setting} points to an older one.`)
    if (await isTransactionPooled(hosts)) throw poolerError(setting)
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `The database at ${hosts.address.label} cannot be reached (${(error as Error).message}). Start it, or correct ${setting}.`,
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A replica that is away is read from once it is back; one that is a primary is an error of the settings. */
export const requireReplica = async (url: string, log: Log) => {
  const hosts = new DatabaseHosts(url, { target: 'any' })
  const client = new pg.Client({ ...hosts.clientConfig(), connectionTimeoutMillis: 10_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ isReplica: boolean }>('select pg_is_in_recovery() as "isReplica"')
    if (!rows[0]?.isReplica)
      throw new StartError(
        `DATABASE_REPLICA_URL points to a primary (${hosts.address.label}): it has to point to a replica. Correct it, or leave it out.`,
      )
  } catch (error) {
    if (error instanceof StartError) throw error
    log.warn(
      { err: error },
      `the replica at ${hosts.address.label} cannot be reached: all reads go to the primary until it can`,
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

const poolerError = (setting: string) =>
  new StartError(
    setting === 'DATABASE_URL'
      ? 'DATABASE_URL goes through a pooler in transaction or statement mode: set DATABASE_DIRECT_URL to the database itself, for what needs a session, and use the transaction mode.'
      : 'DATABASE_DIRECT_URL goes through a pooler in transaction or statement mode: it has to point to the database itself.',
  )
