import type { PoolClient } from 'pg'
import type { Pool } from '../../src/platform/db/pool.ts'
import { type LaboratoryOptions, type LoadSummary, loadLaboratory } from '../laboratory/load-laboratory.ts'
import { withoutUserTriggers } from '../laboratory/triggers.ts'
import { addAuditEntries } from './audit.ts'

/**
 * The demo laboratory that `npm start` shows: a few thousand requisitions with everything a user can open, a PDF for every report,
 * documents, notes, charges, report events and the audit of the past. Data for measurements is in ../bulk.
 */
export const loadDemo = (pool: Pool, options: LaboratoryOptions): Promise<LoadSummary> =>
  loadLaboratory(pool, options, {
    isDetailed: true,
    withoutTriggers: withoutUserTriggers,
    withoutIndexes: (_client, _tables, work) => work(),
    afterRows: freezeCharges,
    afterReadModel: async (client) => {
      await addAuditEntries(client)
      await setTurnaroundTargets(client)
    },
  })

/** What is in work gets due dates; some of it will be late. */
const setTurnaroundTargets = async (client: PoolClient) => {
  await client.query(`
    insert into lab_calendar (lab_id, work_days, opens, closes, holidays)
    select id, '{1,2,3,4,5,6}', '07:00', '19:00', array[date '2026-11-26', date '2026-12-25', date '2027-01-01'] from lab;
    insert into tat_target (lab_id, priority, target_hours, is_working_time) values (null, 'ROUTINE', 36, true), (null, 'STAT', 12, false);
    select stage_usual_measure();
    select turnaround_refresh()`)
}

/** The charges of the sent batches. Where the client has no price any more, the average price of the test is used. */
const freezeCharges = async (client: PoolClient) => {
  await client.query(
    `insert into billing_charge (batch_id, requisition_id, test_id, amount, currency_code)
     select i.batch_id, i.requisition_id, rt.test_id, coalesce(p.price, (select round(avg(price), 2) from client_test_price where test_id = rt.test_id)), 'USD'
     from billing_batch_item i join billing_batch b on b.id = i.batch_id and b.send_status_code = 'SENT' join requisition r on r.id = i.requisition_id
       join requisition_test rt on rt.requisition_id = r.id and not rt.is_retest and rt.result is not null join test t on t.id = rt.test_id and not t.is_calculated
       left join client_test_price p on p.client_id = r.client_id and p.test_id = rt.test_id
     where r.bill_type_code <> 'NOCHARGE'`,
  )
  await client.query(
    `update billing_batch_item i set bill_type_code = r.bill_type_code from requisition r, billing_batch b
     where r.id = i.requisition_id and b.id = i.batch_id and b.send_status_code = 'SENT'`,
  )
}
