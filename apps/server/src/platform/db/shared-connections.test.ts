import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { factories } from '../../../test/given.ts'
import { appRole, openPool, type Pool } from './pool.ts'
import { type ScopedDb, scopedDatabases, systemScope } from './scope.ts'

let database: TestDatabase
let pool: Pool
let databases: ScopedDb
beforeAll(async () => {
  database = await openTestDatabase()
  pool = openPool(database.pooledUrl ?? database.url, {
    max: 1,
    role: appRole,
    longestStatement: '5min',
    isShared: true,
  })
  databases = scopedDatabases(pool)
})
afterAll(async () => {
  await pool.end()
  await database.close()
})

const settings = sql<Record<string, string>>`
  select current_user as "user", current_setting('lis.role', true) as role, current_setting('lis.scope', true) as ids,
    current_setting('timezone') as zone, current_setting('statement_timeout') as longest,
    (select count(*) from pg_prepared_statements)::int as prepared`

/** What is left on the only connection when no transaction is open: asked without beginning one. */
const leftOver = async () => {
  const raw = openPool(database.url, { max: 1, name: 'test-left' })
  const { rows } = await raw.query(`select query from pg_stat_activity
    where datname = current_database() and application_name = 'lis' and query ~* '^(set session|set role|prepare)'`)
  await raw.end()
  return rows
}

describe('connections that others use between two transactions', () => {
  it('SCALE-03 get role, scope, time zone and limits within each transaction, and keep none of them', async () => {
    const db = databases({ role: 'CLNT', ids: [7, 8] })
    const expected = { user: 'lis_client', role: 'CLNT', ids: '7,8', zone: 'UTC', longest: '5min', prepared: 0 }
    expect((await settings.execute(db)).rows).toEqual([expected])
    await db.transaction().execute(async (trx) => {
      expect((await settings.execute(trx)).rows).toEqual([expected])
    })
    expect((await settings.execute(databases(systemScope))).rows[0]).toMatchObject({ user: 'lis_all', ids: '' })
    expect((await pool.query('select current_user as user')).rows).toEqual([{ user: appRole }])
    expect(await leftOver()).toEqual([])
  })

  it('commits a statement outside a transaction before it is answered, and undoes one that fails', async () => {
    const db = databases(systemScope)
    await db
      .insertInto('setting')
      .values({ key: 'shared', value: sql`'1'` } as never)
      .execute()
    const { rows } = await database.owner.query(`select value from setting where key = 'shared'`)
    expect(rows).toEqual([{ value: 1 }])
    await expect(sql`insert into setting (key, value) values ('shared', '2')`.execute(db)).rejects.toThrow('duplicate')
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })

  it('rolls back and commits as its caller says, at the isolation level it chose', async () => {
    const db = databases(systemScope)
    const failing = db.transaction().execute(async (trx) => {
      await sql`insert into setting (key, value) values ('undone', '1')`.execute(trx)
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    const level = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(
        async (trx) =>
          (await sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(trx)).rows,
      )
    expect(level).toEqual([{ level: 'repeatable read' }])
    expect((await sql`select from setting where key = 'undone'`.execute(db)).rows).toEqual([])
  })

  it('reads through a cursor in the scope of its reader', async () => {
    const given = factories(database.db)
    const { id } = await given.requisition()
    await given.requisition()
    const row = await database.db
      .selectFrom('requisition')
      .select('client_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const found: number[] = []
    for await (const one of databases({ role: 'CLNT', ids: [row.client_id] })
      .selectFrom('requisition')
      .select('id')
      .stream(1))
      found.push(one.id)
    expect(found).toEqual([id])
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })
})
