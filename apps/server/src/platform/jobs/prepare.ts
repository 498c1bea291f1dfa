import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { DatabaseHosts } from '../db/hosts.ts'
import { appRole } from '../db/pool.ts'
import { bossConnection, jobsSchema, queueOptions } from './boss.ts'
import type { AnyJob } from './definition.ts'

/** Creates or migrates the schema of pg-boss and its queues, as the owner of the database, and grants the application access. */
export const prepareJobs = async (ownerUrl: string, definitions: readonly AnyJob[]): Promise<void> => {
  const boss = new PgBoss({
    ...bossConnection(ownerUrl),
    application_name: 'lis-jobs-start',
    schema: jobsSchema,
    max: 2,
    supervise: false,
    schedule: false,
  })
  boss.on('error', () => undefined) // the same error rejects `start`
  await boss.start()
  try {
    for (const definition of definitions) {
      // `exclusive`: one waiting or running job per singleton key. A job without one gets its own id as the key.
      await boss.createQueue(definition.kind, { ...queueOptions(definition), policy: 'exclusive' })
      await boss.updateQueue(definition.kind, queueOptions(definition))
    }
  } finally {
    await boss.stop({ graceful: false })
  }
  await grantAccess(ownerUrl)
}

const grantAccess = async (ownerUrl: string) => {
  const client = new pg.Client(new DatabaseHosts(ownerUrl).clientConfig())
  await client.connect()
  try {
    // Locked, because processes that start together would update the same catalog rows at the same time.
    await client.query(`
      begin;
      select pg_advisory_xact_lock(4110002);
      grant usage on schema ${jobsSchema} to ${appRole};
      grant select, insert, update, delete on all tables in schema ${jobsSchema} to ${appRole};
      grant usage on all sequences in schema ${jobsSchema} to ${appRole};
      alter default privileges in schema ${jobsSchema} grant select, insert, update, delete on tables to ${appRole};
      commit`)
  } finally {
    await client.end()
  }
}
