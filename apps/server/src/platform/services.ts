import type { Config } from './config.ts'
import type { Pool } from './db/pool.ts'
import type { ScopedDb } from './db/scope.ts'
import type { PoolContext } from './identity/pool/context.ts'
import type { IdentityProvider } from './identity/provider.ts'
import type { Log } from './log.ts'

/** What every part of the server may use; made once at start and passed on, never imported as a global. */
export interface Services {
  config: Config
  pool: Pool
  databases: ScopedDb
  log: Log
  identity: IdentityProvider
  /** The embedded user pool; null when an outside one is configured. */
  identityPool: PoolContext | null
}
