import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { heldConnections } from './connection-tracking.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const startReading = async () => {
  const rows = sql<{ n: number }>`select n, repeat('x', 1000) as text from generate_series(1, 100000) n`
  const { db } = database
  const chunks = db.getExecutor().stream(rows.compile(db), 100)[Symbol.asyncIterator]()
  await chunks.next()
  const { rows: found } = await database.owner.query<{ pid: number }>(
    `select pid from pg_stat_activity where query like '%generate_series(1, 100000)%' and pid <> pg_backend_pid()`,
  )
  expect(found).toHaveLength(1)
  const endConnection = () => database.owner.query('select pg_terminate_backend($1)', [found[0]?.pid])
  return { chunks, endConnection }
}
const held = () => heldConnections(database.pool).length

describe('rows that are read in parts', () => {
  it('end with an error when the connection ends between two parts, and the connection is released', async () => {
    const { chunks, endConnection } = await startReading()
    await endConnection()
    const readOn = async () => {
      while (!(await chunks.next()).done);
    }
    await expect(readOn()).rejects.toThrow()
    await expect.poll(held).toBe(0)
  })

  it('can be given up after the connection has ended', async () => {
    const { chunks, endConnection } = await startReading()
    await endConnection()
    await chunks.return?.()
    await expect.poll(held).toBe(0)
  })

  it('can be given up while the connection is open', async () => {
    const { chunks } = await startReading()
    await chunks.return?.()
    await expect.poll(held).toBe(0)
  })
})
