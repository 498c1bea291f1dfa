import { fromKysely, PgBoss, type QueueOptions } from 'pg-boss'
import bossPackage from 'pg-boss/package.json' with { type: 'json' }
import type { Trx } from '../db/db.ts'
import { appRole } from '../db/pool.ts'
import type { AnyJob } from './definition.ts'

/** The queue's own schema: its tables belong to pg-boss, the `job` table of ours is what people see. */
export const jobsSchema = 'jobs'

/** The shape that this program gives the queue's tables. Told by pg-boss's own package, so that it is known without a database. */
export const queueSchemaVersion: number = bossPackage.pgboss.schema

export interface BossTimes {
  /** How often dead runs are looked for. */
  superviseSeconds?: number
  /** How often the schedules are looked at. */
  clockSeconds?: number
}

/** The queue at run time: as the application's role, which can use the tables and not change their shape. */
export const openBoss = (
  connectionString: string,
  { superviseSeconds = 15, clockSeconds = 30 }: BossTimes = {},
): PgBoss =>
  new PgBoss({
    connectionString,
    options: `-c role=${appRole} -c timezone=UTC`,
    application_name: 'lis-jobs',
    schema: jobsSchema,
    max: 3,
    migrate: false,
    createSchema: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    cronMonitorIntervalSeconds: clockSeconds,
    useListenNotify: true,
    reindex: false, // needs the owner
    monitorVacuum: false,
  })

/** The queue inside a transaction: whatever is sent exists when the transaction commits, and never otherwise. */
export const bossWithin = (trx: Trx): PgBoss => {
  const db = fromKysely(trx)
  return new PgBoss({ db, schema: jobsSchema, migrate: false, createSchema: false, supervise: false, schedule: false })
}

export const queueOptions = (definition: AnyJob): QueueOptions & { notify: boolean } => ({
  retryLimit: definition.retry?.limit ?? 5,
  retryDelay: definition.retry?.delaySeconds ?? 5,
  retryDelayMax: definition.retry?.longestDelaySeconds ?? 600,
  retryBackoff: true,
  expireInSeconds: definition.maxSeconds ?? 3600,
  // With a look every 15 seconds a killed worker's job runs again within a minute. A shorter one would take the job from a worker
  // that is merely busy with one long piece.
  heartbeatSeconds: definition.heartbeatSeconds ?? 30,
  deleteAfterSeconds: 24 * 3600,
  notify: true,
})
