import pg from 'pg'
import { DatabaseHosts } from '../db/hosts.ts'
import type { Log } from '../log.ts'
import { repeat } from './loop.ts'

export interface ExclusiveOptions {
  /** The lock of a database session says which process does it. */
  lockName: string
  databaseUrl: string
  log: Pick<Log, 'error'>
  /** How often a process tries to become the one, and how often the one that is checks that it still is. */
  everyMs: number
  /** Runs in each round of the process that holds the lock; if it fails, the lock is given back. */
  round: () => Promise<void>
  /** Ends what `round` has begun: the lock is lost, or the process stops. */
  end: () => Promise<void> | void
}

/** Together with `everyMs` below 10 seconds: then another process has taken over. */
const longestCheckMs = 2500

/** The database notices within seconds when the machine that holds the lock has vanished. */
const keepAliveSettings = [
  'tcp_keepalives_idle=2',
  'tcp_keepalives_interval=1',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=5000',
]

/** Does something in exactly one of all processes. */
export const startExclusive = ({ lockName, databaseUrl, log, everyMs, round, end }: ExclusiveOptions) => {
  const hosts = new DatabaseHosts(databaseUrl)
  let client: pg.Client | null = null
  let isHeld = false
  let isStopped = false

  const endSafely = async () => {
    try {
      await end()
    } catch (error) {
      log.error({ err: error, lock: lockName }, 'the work of one process could not be ended')
    }
  }

  const release = async () => {
    isHeld = false
    await endSafely()
    const last = client
    client = null
    await last?.end().catch(() => undefined)
  }

  const connect = async () => {
    const fresh = new pg.Client({
      ...hosts.clientConfig(),
      application_name: `lis-${lockName}`,
      connectionTimeoutMillis: longestCheckMs,
      options: keepAliveSettings.map((setting) => `-c ${setting}`).join(' '),
    })
    // The lock went with the session.
    fresh.on('error', () => {
      if (client !== fresh) return
      isHeld = false
      void endSafely()
    })
    client = fresh
    await fresh.connect()
    hosts.watch(fresh)
  }

  const check = async () => {
    try {
      if (!client) await connect()
      const held = await within(
        longestCheckMs,
        (client as pg.Client).query<{ locked: boolean }>(
          isHeld ? 'select true as locked' : `select pg_try_advisory_lock(hashtext('${lockName}')) as locked`,
        ),
      )
      if (isStopped || !held.rows[0]?.locked) return
      isHeld = true
      await round()
    } catch (error) {
      if (isStopped) return
      log.error({ err: error, lock: lockName }, 'the work of one process has failed')
      await release()
    }
  }

  const rounds = repeat(lockName, everyMs, check, log)
  return {
    stop: async () => {
      isStopped = true
      await rounds.stop()
      await release()
    },
  }
}

const within = <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database does not answer')), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
