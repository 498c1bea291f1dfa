import pg from 'pg'
import { trackConnections } from './connection-tracking.ts'
import { DatabaseHosts } from './hosts.ts'
import { type Settings, setPreparing, setStatements, shareConnections } from './shared-connections.ts'

// A bigint counts rows and fits a JavaScript number; numeric stays text, because money and results are exact decimals.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
// bigint[], for which pg has no name.
pg.types.setTypeParser(1016 as never, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (text) => text)
// Instants are ISO text in UTC from the database to the browser; no code in between needs a Date.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => `${text.replace(' ', 'T').replace(/\+00$/, '')}Z`)
pg.types.setTypeParser(pg.types.builtins.TIMESTAMP, (text) => text.replace(' ', 'T'))

export type Pool = pg.Pool

/** The database role of the server: it can append to the audit but not change it, and row-level security applies to it. */
export const appRole = 'lis_app'
/** The role for users and jobs that see every row: its policies are `true`. */
export const unrestrictedRole = 'lis_all'
/** The database role of each scope; each has policies that can use the indexes made for that scope. */
export const scopeRoles: Record<string, string> = {
  SYSTEM: unrestrictedRole,
  ADM: unrestrictedRole,
  MGMT: unrestrictedRole,
  STF: unrestrictedRole,
  CLNT: 'lis_client',
  COLA: 'lis_collaborator',
  PHYS: 'lis_physician',
  SLS: 'lis_sales',
  BILL: 'lis_billing',
}

export interface PoolOptions {
  max?: number
  /** Omitted for migrations and seeds, which run as the owner. */
  role?: string
  name?: string
  /** The `statement_timeout` of the connections. */
  longestStatement?: string
  /** A pooler in transaction mode is in between: nothing may outlive a transaction. */
  isShared?: boolean
  /** Whether named prepared statements may be used. */
  isPrepared?: boolean
}

/** The database notices a vanished machine within two minutes instead of two hours: until then its locks block everyone. */
const keepAliveSettings: Settings = [
  ['tcp_keepalives_idle', '60'],
  ['tcp_keepalives_interval', '10'],
  ['tcp_keepalives_count', '6'],
  ['tcp_user_timeout', '120000'],
]
/** For a process that hangs inside a transaction. Jobs read files inside theirs, but never for this long; the owner's tools may. */
const idleInTransactionTimeout = '15min'

/**
 * A pool whose sessions speak UTC and ISO dates, whatever the server's own settings are. They are set by a statement, not in the startup
 * message, which PgBouncer refuses.
 */
export const openPool = (
  address: string | DatabaseHosts,
  { max = 10, role, name = 'lis', longestStatement, isShared = false, isPrepared = !isShared }: PoolOptions = {},
): Pool => {
  const hosts = typeof address === 'string' ? new DatabaseHosts(address) : address
  const settings: Settings = [
    ['timezone', 'UTC'],
    ['datestyle', 'ISO'],
    ['jit', 'off'],
  ]
  if (!isShared) settings.push(...keepAliveSettings)
  if (role) settings.push(['role', role], ['idle_in_transaction_session_timeout', idleInTransactionTimeout])
  if (longestStatement) settings.push(['statement_timeout', longestStatement])
  const pool = new pg.Pool({
    ...hosts.clientConfig(),
    max,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    onConnect: async (client) => {
      hosts.watch(client)
      if (!isShared) await client.query(setStatements(settings, 'session'))
    },
  })
  trackConnections(pool, name)
  setPreparing(pool, isPrepared)
  if (isShared) shareConnections(pool, settings)
  // The pool replaces a broken connection. Without these listeners its error event would end the process: on the pool for an idle
  // connection, on the client for one that is in use. The call that uses it fails at its next statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
