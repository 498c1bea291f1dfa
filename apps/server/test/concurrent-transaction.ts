import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import type { TestDatabase } from './database.ts'

/** A transaction of somebody else that stays open, so that two calls meet where a test wants them to. Undone unless it is committed. */
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

/** What a rival runs to append to the audit chain of a requisition: whoever appends to it meanwhile waits, and loses. */
export const appendToChain = `insert into audit_entry (entity, entity_id, requisition_id, action, actor_name, chain_no, hash)
  values ('requisition', $1, $1, 'VIEW', 'Somebody Else', 0, '')`

/** Until so many calls wait for somebody else's lock. */
export const untilBlocked = ({ owner }: TestDatabase, count: number) =>
  expect
    .poll(
      async () => {
        const { rows } = await owner.query(
          `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows[0].waiting
      },
      { timeout: 10_000, interval: 20 },
    )
    .toBe(count)
