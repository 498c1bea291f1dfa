import { AsyncLocalStorage } from 'node:async_hooks'
import type { Pool, PoolClient } from 'pg'
import type { Log } from '../log.ts'

/** A connection that is in use. */
export interface HeldConnection {
  pool: string
  /** The route, job or maintenance task that uses it. */
  work: string
  since: number
}

const currentWork = new AsyncLocalStorage<string>()

/** Labels the connections that are taken while `run` runs, e.g. `GET /api/v3.0/clients`. */
export const withConnectionLabel = <T>(work: string, run: () => T): T => currentWork.run(work, run)

const heldOf = new WeakMap<Pool, Map<PoolClient, HeldConnection>>()

/** The connections of a pool that are in use now. */
export const heldConnections = (pool: Pool): HeldConnection[] => [...(heldOf.get(pool)?.values() ?? [])]

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void

/** Tracks what uses each connection. `pool.query` calls `connect` too. */
export const trackConnections = (pool: Pool, name: string) => {
  const held = new Map<PoolClient, HeldConnection>()
  heldOf.set(pool, held)
  const connect = pool.connect.bind(pool) as { (): Promise<PoolClient>; (done: Connected): void }
  const tracked = (done?: Connected) => {
    const work = currentWork.getStore() ?? 'unnamed'
    const taken = (client: PoolClient) => {
      held.set(client, { pool: name, work, since: Date.now() })
      return client
    }
    if (!done) return connect().then(taken, (error) => Promise.reject(withHolders(error, held)))
    connect((error, client, release) => {
      if (client) taken(client)
      done(error && withHolders(error, held), client, release)
    })
  }
  pool.connect = tracked as typeof pool.connect
  pool.on('release', (_, client) => held.delete(client))
}

/** Adds to a connection timeout what held the connections, for the log. */
const withHolders = (error: Error, held: Map<PoolClient, HeldConnection>): Error => {
  const heldBy: Record<string, number> = {}
  for (const { work } of held.values()) heldBy[work] = (heldBy[work] ?? 0) + 1
  return Object.assign(error, { heldBy })
}

const reportAfterMs = 60_000
const checkEveryMs = 5000

/** Logs each connection that is held for too long, once, with what holds it. */
export const watchConnections = (
  pools: readonly Pool[],
  log: Pick<Log, 'warn'>,
  heldMs = reportAfterMs,
  everyMs = checkEveryMs,
) => {
  const reported = new WeakSet<HeldConnection>()
  const check = () => {
    for (const held of pools.flatMap(heldConnections)) {
      const ms = Date.now() - held.since
      if (ms < heldMs || reported.has(held)) continue
      reported.add(held)
      log.warn(
        { pool: held.pool, work: held.work, seconds: Math.round(ms / 1000) },
        'database connection held for long',
      )
    }
  }
  const timer = setInterval(check, everyMs).unref()
  return () => clearInterval(timer)
}
