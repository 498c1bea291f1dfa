import type { ClientBase } from 'pg'
import { fromKysely, PgBoss, type QueueOptions } from 'pg-boss'
import bossPackage from 'pg-boss/package.json' with { type: 'json' }
import type { Trx } from '../db/db.ts'
import { DatabaseHosts } from '../db/hosts.ts'
import { appRole } from '../db/pool.ts'
import type { AnyJob } from './definition.ts'

/** The schema of pg-boss's own tables. Users see our `job` table. */
export const jobsSchema = 'jobs'

/** The version of pg-boss's schema, from its package, so that it is known without a database. */
export const queueSchemaVersion: number = bossPackage.pgboss.schema

export interface BossTimes {
  /** How often jobs of dead workers are looked for. */
  superviseSeconds?: number
  /** How often the schedules are checked. */
  clockSeconds?: number
}

/** The queue at run time, with the application's role, which can use the tables but not alter them. */
export const openBoss = (databaseUrl: string, { superviseSeconds = 15, clockSeconds = 30 }: BossTimes = {}): PgBoss =>
  new PgBoss({
    ...bossConnection(databaseUrl, { role: appRole }),
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

/** Where and as whom pg-boss connects. It passes all of this to `pg`, also what its types do not have. */
export const bossConnection = (databaseUrl: string, { role }: { role?: string } = {}) => {
  const hosts = new DatabaseHosts(databaseUrl)
  const onConnect = async (client: ClientBase) => {
    hosts.watch(client)
    if (role) await client.query(`set role ${role}; set timezone = 'UTC'`)
  }
  return { ...hosts.clientConfig(), onConnect }
}

/** The queue inside a transaction: a job is sent when the transaction commits, and never otherwise. */
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
  // With a check every 15 seconds the job of a killed worker runs again within a minute. A shorter time would take the job from a worker
  // that is only busy with one slow step.
  heartbeatSeconds: definition.heartbeatSeconds ?? 30,
  deleteAfterSeconds: 24 * 3600,
  notify: true,
})
