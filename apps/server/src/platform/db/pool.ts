import pg from 'pg'
import { trackConnections } from './connection-tracking.ts'

// Numbers that count rows fit a JavaScript number; numeric stays text, because money and results are exact decimals.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
// Lists of the same; pg knows no name for their type.
pg.types.setTypeParser(1016 as never, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)))
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, (text) => text)
// Instants travel as ISO text in UTC from the database to the browser; nobody in between needs a Date.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => `${text.replace(' ', 'T').replace(/\+00$/, '')}Z`)
pg.types.setTypeParser(pg.types.builtins.TIMESTAMP, (text) => text.replace(' ', 'T'))

export type Pool = pg.Pool

/** The role under which the server works: it can append to the audit, not change it, and row-level security holds for it. */
export const appRole = 'lis_app'
/** The same for people and jobs that see every requisition: row-level security lets them pass without looking at the row. */
export const unrestrictedRole = 'lis_all'
/** The members of `lis_app` by whose requisitions they see; each has policies that its indexes can answer. */
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
  /** The longest that one statement may take; the database ends it then. */
  longestStatement?: string
}

/** A machine of ours that is gone without a word is noticed by the database within two minutes, not two hours: its locks hold up everybody. */
const aliveness = [
  'tcp_keepalives_idle=60',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=6',
  'tcp_user_timeout=120000',
]
/** A process that hangs in the middle of a transaction. Jobs read files within theirs, but never for so long; tools of the owner may. */
const longestSilence = '15min'

/** A pool whose sessions speak UTC and ISO dates, whatever the server's own settings are. */
export const openPool = (
  connectionString: string,
  { max = 10, role, name = 'lis', longestStatement }: PoolOptions = {},
): Pool => {
  const settings = ['timezone=UTC', 'datestyle=ISO', 'jit=off', ...aliveness]
  if (role) settings.push(`role=${role}`, `idle_in_transaction_session_timeout=${longestSilence}`)
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
  // A connection that dies is replaced by the pool. Without listeners it would end the process: while idle by way of the pool, and while a
  // call holds it between two statements by way of the connection itself. The call hears of it from its next statement.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}
