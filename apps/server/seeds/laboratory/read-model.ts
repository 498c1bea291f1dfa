import type { PoolClient } from 'pg'
import { numberedTables } from './tables.ts'

const requisitionsPerStep = 50_000

/** Fills list, search and counters from their one definition, in steps that keep memory flat. */
export const fillReadModel = async (client: PoolClient) => {
  const { rows } = await client.query<{ low: number; high: number }>(
    'select coalesce(min(id), 0) as low, coalesce(max(id), -1) as high from requisition',
  )
  const { low, high } = rows[0] as { low: number; high: number }
  for (let from = low; from <= high; from += requisitionsPerStep) {
    const range = [from, from + requisitionsPerStep - 1]
    await client.query(
      `insert into requisition_list select s.* from requisition_list_source s
       where s.requisition_id between $1 and $2 order by s.requisition_id`,
      range,
    )
    await client.query(
      `insert into requisition_search (requisition_id, client_id, collaborator_id, search_text)
       select r.id, r.client_id, r.collaborator_id, p.name_key || coalesce('|' || lower(r.ext_order_id), '')
       from requisition r join patient p on p.id = r.patient_id
       where r.id between $1 and $2 and r.deleted_at is null order by r.id`,
      range,
    )
  }
  await client.query(
    `insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, n)
     select status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, count(*) from requisition_list group by 1, 2, 3, 4, 5, 6`,
  )
  await client.query(
    'insert into requisition_tests_count_delta select test_codes, count(*) from requisition_list group by 1',
  )
  await client.query('select requisition_count_fold()')
  await client.query('select money_fill(), money_fold()')
  await client.query(`do $$ begin while superseded_fill() > 0 loop end loop; end $$`)
}

/** The ids were given by us: the next one that the database gives must come after them. */
export const advanceSequences = async (client: PoolClient) => {
  for (const table of numberedTables) {
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from ${table} having max(id) is not null`,
    )
  }
}
