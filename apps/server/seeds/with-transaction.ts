import type { PoolClient } from 'pg'
import type { Pool } from '../src/platform/db/pool.ts'

/** Runs `work` in one transaction on one connection: all of it happens, or nothing. */
export const withTransaction = async <Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    throw error
  } finally {
    client.release()
  }
}
