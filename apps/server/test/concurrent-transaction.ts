import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import type { TestDatabase } from './database.ts'

/** An open transaction of another connection, so that a test can make two calls conflict. Rolled back unless it is committed. */
export const openConcurrentTransaction = async ({ url }: TestDatabase) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  return {
    query: (text: string, values: unknown[] = []) => client.query(text, values),
    commit: () => client.query('commit'),
  }
}

/** Appends to the audit chain of a requisition: a call that appends to it meanwhile waits. */
export const appendToChain = `insert into audit_entry (entity, entity_id, requisition_id, action, actor_name, chain_no, hash)
  values ('requisition', $1, $1, 'VIEW', 'Somebody Else', 0, '')`

/** Waits until this many calls are blocked by a lock. */
export const untilBlocked = ({ owner }: TestDatabase, count: number) =>
  expect
    .poll(
      async () => {
        const { rows } = await owner.query(
          `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows[0].waiting
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBe(count)
