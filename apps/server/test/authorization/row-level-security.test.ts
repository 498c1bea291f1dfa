import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Scope } from '../../src/platform/db/scope.ts'
import { openTestApp } from '../app.ts'
import { makeWorld, mark, type World } from './world.ts'

const test = openTestApp()
let own: World
let foreign: World

beforeAll(async () => {
  const lab = await test.given.lab()
  own = await makeWorld(test, mark.own, lab.id)
  foreign = await makeWorld(test, mark.foreign, lab.id)
  const batch = await test.given.store('billing_batch', { record_count: 1 })
  const reason = await sql<{ id: number }>`select id from reason where type_code = 'PASS' limit 1`.execute(
    test.database.db,
  )
  for (const world of [own, foreign]) {
    const { reqId, testId, clientId } = world
    const reasonId = reason.rows[0]?.id
    await test.database.owner.query(`
      insert into requisition_flag (requisition_id, flag_id) select ${reqId}, min(id) from flag;
      insert into requisition_reason values (${reqId}, ${reasonId});
      insert into requisition_test_reason values (${testId}, ${reasonId});
      insert into requisition_test_revision (requisition_test_id, result) values (${testId}, '${world.word}');
      insert into requisition_status_event (requisition_id, to_code) values (${reqId}, 'LOG');
      insert into patient_notification (requisition_id) values (${reqId});
      insert into audit_entry (entity, entity_id, client_id, action, actor_name, chain_no, hash) values ('client', ${clientId}, ${clientId}, 'UPDATE', '${world.word}', 1, '')`)
  }
  await test.database.owner.query(`
    insert into billing_batch_item (batch_id, requisition_id) values (${batch.id}, ${own.reqId});
    insert into billing_charge (batch_id, requisition_id, test_id, amount, currency_code)
      select ${batch.id}, ${own.reqId}, min(id), 1, 'USD' from test`)
})

/** Every table with row-level security, and how its rows refer to a requisition. */
const ofRequisition =
  `patient_history requisition_flag requisition_reason requisition_status_event document lab_note specimen specimen_location
  requisition_test report report_delivery patient_notification issue billing requisition_icd billing_note payment billing_charge`.split(
    /\s+/,
  )
const ofPart: Record<string, string> = {
  requisition_test_reason: 'select requisition_id from requisition_test p where p.id = t.requisition_test_id',
  requisition_test_revision: 'select requisition_id from requisition_test p where p.id = t.requisition_test_id',
  report_version: 'select requisition_id from report p where p.id = t.report_id',
  report_event: 'select requisition_id from report p where p.id = t.report_id',
  issue_work_log: 'select requisition_id from issue p where p.id = t.issue_id',
  insurance: 'select requisition_id from billing p where p.id = t.billing_id',
}
const walled = [
  ['requisition', 't.id'] as const,
  ['requisition_list', 't.requisition_id'] as const,
  ...ofRequisition.map((table) => [table, 't.requisition_id'] as const),
  ...Object.entries(ofPart).map(([table, way]) => [table, `(${way})`] as const),
]

const scopes = (): Scope[] => [
  { role: 'CLNT', ids: [own.clientId] },
  { role: 'COLA', ids: [own.collaboratorId] },
  { role: 'PHYS', ids: [own.physicianId] },
  { role: 'SLS', ids: [own.clientId] },
  { role: 'BILL', ids: [] },
]

describe('without any condition in the query', () => {
  it.each(walled)('%s shows the rows of one’s own requisitions only', async (table, requisition) => {
    const rowsFor = async (scope: Scope): Promise<unknown[]> => {
      const query = sql<{
        req: number
      }>`select distinct ${sql.raw(requisition)} as req from ${sql.table(table)} t order by 1`
      return (await query.execute(test.services.databases(scope))).rows.map(({ req }) => req)
    }
    for (const scope of scopes()) expect([scope.role, await rowsFor(scope)]).toEqual([scope.role, [own.reqId]])
    const all = table === 'billing_charge' ? [own.reqId] : [own.reqId, foreign.reqId]
    for (const role of ['ADM', 'MGMT', 'STF', 'SYSTEM']) expect(await rowsFor({ role, ids: [] })).toEqual(all)
    for (const role of ['GST', '']) expect(await rowsFor({ role, ids: [] })).toEqual([])
  })

  it('the audit shows external users no entries of foreign requisitions', async () => {
    for (const scope of scopes()) {
      const { rows } = await sql<{ id: number }>`select distinct requisition_id as id from audit_entry
        where requisition_id is not null`.execute(test.services.databases(scope))
      expect([scope.role, rows.map(({ id }) => id)]).toEqual([scope.role, [own.reqId]])
    }
  })

  it.each(['client_document', 'client_test_price'] as const)('%s shows a practice its own only', async (table) => {
    const clientsFor = async (scope: Scope) =>
      (
        await sql<{ id: number }>`select client_id as id from ${sql.table(table)} order by 1`.execute(
          test.services.databases(scope),
        )
      ).rows.map(({ id }) => id)
    expect(await clientsFor({ role: 'CLNT', ids: [own.clientId] })).toEqual([own.clientId])
    expect(await clientsFor({ role: 'SLS', ids: [own.clientId] })).toEqual([own.clientId])
    expect(await clientsFor({ role: 'COLA', ids: [own.collaboratorId] })).toEqual([])
    expect(await clientsFor({ role: 'PHYS', ids: [own.physicianId] })).toEqual([])
    expect(await clientsFor({ role: 'STF', ids: [] })).toEqual([own.clientId, foreign.clientId])
  })

  it('nothing foreign is changed or deleted either', async () => {
    const db = test.services.databases({ role: 'COLA', ids: [own.collaboratorId] })
    const changed = await sql`update billing_note set note = 'x' where requisition_id = ${foreign.reqId}`.execute(db)
    expect(changed.numAffectedRows).toBe(0n)
    const gone = await sql`delete from requisition_icd where requisition_id = ${foreign.reqId}`.execute(db)
    expect(gone.numAffectedRows).toBe(0n)
  })

  it('every table that refers to a requisition has row-level security, or is listed here with the reason', async () => {
    const open = [
      'billing_batch_item', // the requisition's own policy reads it for billing users
      'home_review', // a person's own marks, no patient data; made within the scope
      'notification_read', // a person's own marks, no patient data
      'report_upload_file', // may name no requisition yet; its lists ask for the scope
      'requisition_search', // LIKE is not leakproof; only ever read joined to the list
    ]
    const { rows } = await test.database.owner.query<{ name: string }>(`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'requisition_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relrowsecurity order by 1`)
    expect(rows.map(({ name }) => name)).toEqual(open)
  })
})
