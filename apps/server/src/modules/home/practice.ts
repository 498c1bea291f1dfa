import { type OrderOnTheWay, orderSteps } from '@lis/contract/home-practice.ts'
import { sql } from 'kysely'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { isOneOfIds, type ListDefinition, type Sql } from '../../platform/lists.ts'
import { isIssueVisibleTo } from '../issues/queries.ts'
import { visibleRequisitions } from '../requisition-record/queries.ts'

/** An order until its first report is released. */
export const onTheWayStatuses = ['LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT']
export const isOnTheWay = sql`l.tab_code <> 'BILL' and l.status_code in (${sql.join(onTheWayStatuses.map((code) => sql.lit(code)))})`

const shownOrders = 15

/** When the report is expected: when it is due, and without a target five days after the receipt. */
const expectedAt = sql`coalesce(l.due_at, coalesce(l.received_at, l.logged_at) + interval '120 hours')`

const stepOf = sql`case l.status_code when 'LOG' then case when l.received_at is null then 1 else 2 end when 'ACC' then 2 when 'PROCESS' then 3 when 'RESULT' then 4 else 5 end`

const person = {
  reqId: sql`l.requisition_id`,
  patientFirstName: sql`p.first_name`,
  patientLastName: sql`p.last_name`,
  patientDob: sql`p.dob`,
}

/** The orders that are expected first. */
export const listOnTheWay = async (db: Db, actor: Actor): Promise<OrderOnTheWay[]> => {
  const { rows } = await sql<{ row: Omit<OrderOnTheWay, 'stepDesc'> }>`
    select row_to_json(x) as row from (
      select l.requisition_id as "reqId", p.first_name as "patientFirstName", p.last_name as "patientLastName", p.dob as "patientDob",
        l.test_codes as "testCodes", ${stepOf} as step, ${expectedAt} as "expectedDate", case when ${expectedAt} < now() then 1 else 0 end as "isLate"
      from requisition_list l join requisition_patient p on p.requisition_id = l.requisition_id
      where l.requisition_id in (select l.requisition_id from requisition_list l where ${visibleRequisitions(actor)} and ${isOnTheWay}
        order by ${expectedAt}, l.requisition_id limit ${shownOrders})
      order by ${expectedAt}, l.requisition_id) x`.execute(db)
  return rows.map(({ row }) => ({ ...row, stepDesc: orderSteps[row.step - 1] as OrderOnTheWay['stepDesc'] }))
}

const openIssue = (
  actor: Actor,
): Sql => sql`from issue i where i.requisition_id = l.requisition_id and i.deleted_at is null
  and i.status_code not in ('RESOLVED', 'CLOSED') and ${isIssueVisibleTo(actor.role)}`

/** The page that shows what is wanted; PHYS cannot open requisitions. */
const linkOf = ({ role }: Actor): Sql =>
  role === 'PHYS'
    ? sql`'/requisitions?status=AllForPhysician&smartFilter=%5B%7B%22id%22%3A%22reqId%22%2C%22value%22%3A%22' || l.requisition_id || '%22%7D%5D'`
    : sql`'/requisitions/' || l.requisition_id || '/show/' || case when exists (select ${openIssue({ role } as Actor)}) then 'issues' else 'billing' end`

/** Requisitions with an open issue that the person may see, or without what their bill needs; the oldest first. */
export const wantedList = (actor: Actor): ListDefinition => ({
  from: sql`requisition_list l join requisition_patient p on p.requisition_id = l.requisition_id`,
  keys: { from: sql`requisition_list l`, key: sql`l.requisition_id` },
  where: [
    visibleRequisitions(actor),
    // The condition of the partial indexes.
    sql`(l.open_issue_count > 0 or l.status_code = 'MISSBILL')`,
    sql`(l.status_code = 'MISSBILL' or exists (select ${openIssue(actor)}))`,
  ],
  fields: {
    ...person,
    kind: sql`case when exists (select ${openIssue(actor)}) then 'ISSUE' else 'BILLING' end`,
    text: sql`coalesce((select i.description ${openIssue(actor)} order by i.created_at limit 1), 'Billing information is missing')`,
    sinceDate: wantedSince(actor),
    link: linkOf(actor),
  },
  filter: { reqId: isOneOfIds(sql`l.requisition_id`, 'reqId') },
  defaultOrder: sql`l.requisition_id`,
  key: sql`l.requisition_id`,
})

export function wantedSince(actor: Actor): Sql {
  return sql`coalesce((select min(i.created_at) ${openIssue(actor)}), l.logged_at)`
}
