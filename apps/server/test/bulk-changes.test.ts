import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { factories } from './given.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await openTestDatabase()
  const given = factories(test.db)
  const { id } = await given.requisition()
  await given.orderedTest(id, 'A1C', { is_retest: true })
  for (const table of ['requisition', 'requisition_test'])
    await test.owner.query(
      `insert into ${table} overriding system value
       select copy.* from ${table} r, generate_series(1, 20) as n,
         jsonb_populate_record(r, jsonb_build_object('id', nextval(pg_get_serial_sequence('${table}', 'id')) + 0 * n)) as copy`,
    )
})
afterAll(() => test.close())

/** The plans of a statement and of its triggers, after the same connection has changed a single row. */
const plansOf = async (table: string, set: string) => {
  const client = await test.owner.connect()
  const plans: string[] = []
  client.on('notice', ({ message }) => plans.push(message ?? ''))
  try {
    await client.query(`update ${table} set ${set} where id = (select min(id) from ${table})`)
    await client.query("load 'auto_explain'")
    await client.query('set auto_explain.log_min_duration = 0')
    await client.query('set auto_explain.log_analyze = on')
    await client.query('set auto_explain.log_nested_statements = on')
    await client.query('set client_min_messages = log')
    await client.query(`update ${table} set ${set}`)
  } finally {
    client.release(true)
  }
  return plans.filter((plan) => plan.includes('Named Tuplestore Scan'))
}

describe('triggers that compare the rows before and after a statement', () => {
  it.each([
    ['requisition', "status_code = case status_code when 'ACC' then 'PROCESS' else 'ACC' end"],
    ['requisition_test', "comment = 'Repeated'"],
  ])('read each row of a bulk change of %s once', async (table, set) => {
    const plans = await plansOf(table, set)
    expect(plans.length).toBeGreaterThan(0)
    expect(plans.filter((plan) => /Named Tuplestore Scan.* loops=(?!1\))/u.test(plan))).toEqual([])
  })
})
