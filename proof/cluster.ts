import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../apps/server/src/platform/db/embedded-postgres.ts'
import { openPool, type Pool } from '../apps/server/src/platform/db/pool.ts'
import { prepareDatabase } from '../apps/server/src/start.ts'
import { freePort } from '../apps/server/test/free-port.ts'
import { runServer, type ServerProcess } from '../apps/server/test/server-process.ts'

export const clusterSecret = 'a secret of more than thirty-two characters'

interface Process {
  name: string
  url: string
  /** Orders it to stop, as a service manager does; gives its exit code. */
  stop: () => Promise<number | null>
  /** Kills it, as a power cut does. */
  kill: () => Promise<void>
  /** Starts it again on the same port; retries until the database answers. */
  start: () => Promise<void>
  hasEnded: () => boolean
  /** The end of its output. */
  output: () => string
}

export interface Cluster {
  databaseUrl: string
  folder: string
  pool: Pool
  env: Record<string, string>
  postgres: { kill: () => Promise<void>; untilBack: () => Promise<void> }
  servers: Process[]
  workers: Process[]
  close: () => Promise<void>
}

export interface ClusterOptions {
  servers: number
  workers: number
  env?: Record<string, string>
  /** The port of the public URL, if it is not that of the first server. */
  publicPort?: number
  /** An existing database, instead of its own. */
  databaseUrl?: string
  /** What leads to the database instead of its own address, such as a pooler. */
  through?: (databaseUrl: string) => Promise<{ url: string; close: () => Promise<void> }>
}

/** The product in several processes with its own PostgreSQL, all of which can be killed; everything is removed at the end. */
export const openCluster = async ({
  servers,
  workers,
  env: more = {},
  publicPort,
  databaseUrl,
  through,
}: ClusterOptions): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), 'lis-proof-'))
  mkdirSync(join(folder, 'data'))
  const postgres = databaseUrl
    ? { url: databaseUrl, pid: () => 0, stop: async () => undefined }
    : await startEmbeddedPostgres(join(folder, 'postgres'), { settings: { shared_buffers: '128MB' } })
  const pooler = await through?.(postgres.url)
  await prepareDatabase(postgres.url)
  const ports = await Promise.all(Array.from({ length: servers }, freePort))
  const env: Record<string, string> = {
    DATABASE_URL: pooler?.url ?? postgres.url,
    ...(pooler && { DATABASE_DIRECT_URL: postgres.url }),
    LIS_DATA_DIR: join(folder, 'data'),
    LIS_SECRET: clusterSecret,
    LIS_WORKER: workers > 0 ? 'separate' : 'in-process',
    LIS_WEB: 'vite', // no page is needed, so none is built
    PUBLIC_URL: `http://localhost:${publicPort ?? ports[0]}`,
    TRUST_PROXY: '1',
    RATE_LIMIT_PER_MINUTE: '1000000',
    SIGN_IN_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'error',
    ...more,
  }
  const pool = openPool(postgres.url, { max: 4, name: 'proof' })
  const cluster: Cluster = {
    databaseUrl: postgres.url,
    folder: join(folder, 'data'),
    pool,
    env,
    postgres: {
      kill: async () => {
        process.kill(postgres.pid(), 'SIGKILL')
      },
      untilBack: () => untilAnswers(pool),
    },
    servers: ports.map((port, n) => processOf(`server ${n + 1}`, 'main.ts', { ...env, PORT: String(port) })),
    workers: Array.from({ length: workers }, (_, n) =>
      processOf(`worker ${n + 1}`, 'worker.ts', { ...env, PORT: '0' }),
    ),
    close: async () => {
      await Promise.all([...cluster.servers, ...cluster.workers].map((one) => one.kill()))
      await pool.end()
      await pooler?.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await Promise.all([...cluster.servers, ...cluster.workers].map((one) => one.start()))
  } catch (error) {
    await cluster.close()
    throw error
  }
  return cluster
}

const processOf = (name: string, file: string, env: Record<string, string>): Process => {
  let running: ServerProcess | null = null
  return {
    name,
    url: `http://localhost:${env.PORT}`,
    stop: async () => running?.stop('SIGTERM') ?? null,
    kill: async () => {
      if (running && running.child.exitCode === null) await running.stop('SIGKILL')
    },
    hasEnded: () => running !== null && running.child.exitCode !== null,
    output: () => running?.output().slice(-2000) ?? '',
    start: async () => {
      for (let attempt = 1; ; attempt++) {
        running = await runServer(env, file)
        if (await isReady(running)) return
        if (attempt === 20) throw new Error(`${name} does not start: ${running.output()}`)
        await wait(250)
      }
    },
  }
}

/** False when it ended instead, e.g. because the database was not available yet. */
const isReady = async (server: ServerProcess): Promise<boolean> => {
  while (!server.output().includes('is ready')) {
    if (server.child.exitCode !== null || server.child.signalCode !== null) return false
    await wait(25)
  }
  return true
}

const untilAnswers = async (pool: Pool) => {
  for (;;) {
    const answer = await pool.query('select 1').catch(() => null)
    if (answer) return
    await wait(50)
  }
}
