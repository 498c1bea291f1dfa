import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { factories, type Given } from '../../../test/given.ts'
import type { Scope } from './scope.ts'

let database: TestDatabase
let given: Given
beforeAll(async () => {
  database = await openTestDatabase()
  given = factories(database.db)
})
afterAll(() => database.close())

const visible = async (scope: Scope, table: 'requisition' | 'requisition_list'): Promise<number[]> => {
  const key = table === 'requisition' ? sql`id` : sql`requisition_id`
  const { rows } = await sql<{ id: number }>`select ${key} as id from ${sql.table(table)} order by 1`.execute(
    database.databases(scope),
  )
  return rows.map((row) => row.id)
}

describe('row-level security', () => {
  it('lets each scope see its own requisitions, with no condition in the query', async () => {
    const [mine, other] = [await given.requisition(), await given.requisition()]
    const row = await database.db
      .selectFrom('requisition')
      .selectAll()
      .where('id', '=', mine.id)
      .executeTakeFirstOrThrow()
    const scopes: Scope[] = [
      { role: 'CLNT', ids: [row.client_id] },
      { role: 'COLA', ids: [row.collaborator_id] },
      { role: 'PHYS', ids: [row.physician_id] },
      { role: 'SLS', ids: [row.client_id, 999_999] },
    ]
    for (const table of ['requisition', 'requisition_list'] as const) {
      for (const scope of scopes) expect([scope.role, await visible(scope, table)]).toEqual([scope.role, [mine.id]])
      for (const role of ['ADM', 'MGMT', 'STF', 'SYSTEM'])
        expect(await visible({ role, ids: [] }, table)).toEqual([mine.id, other.id])
      for (const role of ['GST', 'NOBODY', '']) expect(await visible({ role, ids: [] }, table)).toEqual([])
      expect(await visible({ role: 'SLS', ids: [] }, table)).toEqual([])
    }
  })

  it('lets a copied physician see the requisition too', async () => {
    const copied = await given.physician()
    const { id } = await given.requisition({ copy_physician_id: copied.id })
    expect(await visible({ role: 'PHYS', ids: [copied.id] }, 'requisition_list')).toEqual([id])
  })

  it('lets billing see what is in a billing batch', async () => {
    const { id } = await given.requisition()
    expect(await visible({ role: 'BILL', ids: [] }, 'requisition')).not.toContain(id)
    const batch = await given.store('billing_batch', {})
    await database.owner.query('insert into billing_batch_item (batch_id, requisition_id) values ($1, $2)', [
      batch.id,
      id,
    ])
    expect(await visible({ role: 'BILL', ids: [] }, 'requisition')).toContain(id)
  })

  it('never lets the scope of one caller leak to the next on the same connection', async () => {
    const [one, two] = [await given.requisition(), await given.requisition()]
    const clientOf = async (id: number) =>
      (await database.db.selectFrom('requisition').select('client_id').where('id', '=', id).executeTakeFirstOrThrow())
        .client_id
    const [first, second] = [await clientOf(one.id), await clientOf(two.id)]
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, turn) =>
        visible({ role: 'CLNT', ids: [turn % 2 ? first : second] }, 'requisition'),
      ),
    )
    answers.forEach((answer, turn) => {
      expect(answer).toEqual([turn % 2 ? one.id : two.id])
    })
  })
})

describe('the requisition list', () => {
  it('is updated in the transaction of its sources and agrees with the view that defines it', async () => {
    const { id } = await given.requisition()
    const row = async () =>
      (await database.owner.query('select * from requisition_list where requisition_id = $1', [id])).rows[0]
    await database.db.updateTable('requisition').set({ status_code: 'ACC' }).where('id', '=', id).execute()
    expect((await row()).tab_code).toBe('ACC')
    const { patient_id } = await database.db
      .selectFrom('requisition')
      .select('patient_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await database.db.updateTable('patient').set({ last_name: 'Ångström' }).where('id', '=', patient_id).execute()
    expect((await row()).patient_key).toContain('angstrom')
    await given.store('requisition_test', { requisition_id: id, test_id: await given.firstId('test') })
    expect((await row()).test_codes).not.toBe('')
    const { rows } = await database.owner.query(
      `select 1 from requisition_list l full join requisition_list_source s using (requisition_id) where l.* is distinct from s.*`,
    )
    expect(rows).toEqual([])
    await database.db.updateTable('requisition').set({ deleted_at: sql`now()` }).where('id', '=', id).execute()
    expect(await row()).toBeUndefined()
  })

  it('keeps counters that equal a count, folded or not', async () => {
    for (let n = 0; n < 5; n++) await given.requisition()
    const differences = async () =>
      (
        await database.owner.query(`
          with kept as (select scope_id, status_code, sum(n) as n from (
            select scope_id, status_code, n from requisition_count where scope = 'CLNT'
            union all select scope_id, status_code, n from requisition_count_delta_by_scope where scope = 'CLNT') x group by 1, 2 having sum(n) <> 0),
          counted as (select client_id as scope_id, status_code, count(*) as n from requisition_list group by 1, 2)
          select * from kept full join counted using (scope_id, status_code) where kept.n is distinct from counted.n`)
      ).rows
    expect(await differences()).toEqual([])
    await database.owner.query('select requisition_count_fold()')
    expect(await differences()).toEqual([])
  })

  it('cannot be written by the server itself', async () => {
    await expect(sql`delete from requisition_list`.execute(database.db)).rejects.toMatchObject({ code: '42501' })
  })
})
