import pg from 'pg'
import { trackConnections } from './connection-tracking.ts'

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
}

/** The database notices a vanished machine within two minutes instead of two hours: until then its locks block everyone. */
const keepAliveSettings = [
  'tcp_keepalives_idle=60',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=6',
  'tcp_user_timeout=120000',
]
/** For a process that hangs inside a transaction. Jobs read files inside theirs, but never for this long; the owner's tools may. */
const idleInTransactionTimeout = '15min'

/** A pool whose sessions speak UTC and ISO dates, whatever the server's own settings are. */
export const openPool = (
  connectionString: string,
  { max = 10, role, name = 'lis', longestStatement }: PoolOptions = {},
): Pool => {
  const settings = ['timezone=UTC', 'datestyle=ISO', 'jit=off', ...keepAliveSettings]
  if (role) settings.push(`role=${role}`, `idle_in_transaction_session_timeout=${idleInTransactionTimeout}`)
  if (longestStatement) settings.push(`statement_timeout=${longestStatement}`)
  const pool = new pg.Pool({
    connectionString,
    max,
    application_name: name,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  })
  trackConnections(pool, name)
  // The pool replaces a broken connection. Without these listeners its error event would end the process: on the pool for an idle
  // connection, on the client for one that is in use. The call that uses it fails at its next statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
