import type { AccessLog } from './audit/access-log.ts'
import type { Config } from './config.ts'
import type { LargeReads } from './db/large-reads.ts'
import type { Pool } from './db/pool.ts'
import type { ScopedDb } from './db/scope.ts'
import type { Draining } from './draining.ts'
import type { EventHub } from './events/hub.ts'
import type { CallQueue } from './http/call-queue.ts'
import type { PoolContext } from './identity/pool/context.ts'
import type { IdentityProvider } from './identity/provider.ts'
import type { Log } from './log.ts'
import type { Transports } from './messaging/message.ts'
import type { ReportSeal } from './pdf/seal.ts'
import type { DiskStore } from './storage/disk-store.ts'
import type { ObjectStore } from './storage/object-store.ts'
import type { FileAlarm } from './storage/verified.ts'

/** What every part of the server may use; created once at start and passed on, never imported as a global. */
export interface Services {
  config: Config
  pool: Pool
  /** Connections for users who see every row. */
  unrestricted: Pool
  /** For sessions and accounts only: these connections see every row. */
  system: Pool
  databases: ScopedDb
  /** For calls and jobs that make a file: a separate pool, so that other calls do not wait for them. */
  fileDatabases: ScopedDb
  /** Reads of many rows, from the replica where there is one. */
  largeReads: LargeReads
  fileCalls: CallQueue
  draining: Draining
  /** Every pool, for metrics and monitoring. */
  pools: readonly Pool[]
  log: Log
  accessLog: AccessLog
  store: ObjectStore
  /** The store if it is the data folder, which the server then serves itself; null with an external store. */
  disk: DiskStore | null
  /** Seals reports; null without a certificate. */
  reportSeal: ReportSeal | null
  /** Reports files that were changed in the store. */
  fileAlarm: FileAlarm
  /** The gateways that messages are sent through. */
  transports: Transports
  events: EventHub
  identity: IdentityProvider
  /** The embedded user pool; null when an external one is configured. */
  identityPool: PoolContext | null
}
