import type { AccessLog } from './audit/access-log.ts'
import type { Config } from './config.ts'
import type { Pool } from './db/pool.ts'
import type { ScopedDb } from './db/scope.ts'
import type { EventHub } from './events/hub.ts'
import type { CallQueue } from './http/call-queue.ts'
import type { PoolContext } from './identity/pool/context.ts'
import type { IdentityProvider } from './identity/provider.ts'
import type { Log } from './log.ts'
import type { Transports } from './messaging/message.ts'
import type { DiskStore } from './storage/disk-store.ts'
import type { ObjectStore } from './storage/object-store.ts'
import type { FileAlarm } from './storage/verified.ts'

/** What every part of the server may use; made once at start and passed on, never imported as a global. */
export interface Services {
  config: Config
  pool: Pool
  /** Connections for those who see every requisition. */
  unrestricted: Pool
  /** For sessions and accounts only: these connections see every row. */
  system: Pool
  databases: ScopedDb
  /** Calls and jobs that make a file: they have a few connections of their own, so that nobody else waits for them. */
  fileDatabases: ScopedDb
  fileCalls: CallQueue
  /** Every pool, for those who watch them. */
  pools: readonly Pool[]
  log: Log
  accessLog: AccessLog
  store: ObjectStore
  /** The store when it is our own folder, which the server then serves itself; null with an outside store. */
  disk: DiskStore | null
  /** What was found changed in the store by this process. */
  fileAlarm: FileAlarm
  /** The gateways that messages leave by. */
  transports: Transports
  events: EventHub
  identity: IdentityProvider
  /** The embedded user pool; null when an outside one is configured. */
  identityPool: PoolContext | null
}
