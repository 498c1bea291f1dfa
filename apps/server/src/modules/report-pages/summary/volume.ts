import type { ReportColumn } from '@lis/contract/reports-pages.ts'
import { sql } from 'kysely'
import type { Sql } from '../../../platform/lists.ts'
import {
  columnsOf,
  isFailed,
  isResulted,
  percent,
  type ReportCall,
  type ReportDefinition,
  scopedRows,
} from '../definition.ts'

const figures = columnsOf(
  ['reqCount', 'Requisitions', 'integer'],
  ['patientCount', 'Patients', 'integer'],
  ['testCount', 'Tests', 'integer'],
  ['resultedCount', 'Resulted', 'integer'],
  ['failedCount', 'Failed', 'integer'],
  ['releasedReqCount', 'Released Requisitions', 'integer'],
  ['prevReqCount', 'Previous Period', 'integer'],
  ['changePercent', 'Change %', 'decimal1'],
)

/** `base`: the requisitions received in the period or in the one before, with the numbers of their tests. */
const base = sql`
  received as (select requisition_id, client_id, collaborator_id, patient_id, released_at is not null as is_released, received_at >= starts as is_now from req
    where received_at >= prev_starts and received_at < ends),
  tested as (select rt.requisition_id, count(*) as tests, count(*) filter (where ${isResulted(sql`rt`)}) as resulted, count(*) filter (where ${isFailed(sql`rt`)}) as failed
    from received b join requisition_test rt on rt.requisition_id = b.requisition_id join test t on t.id = rt.test_id and not t.is_calculated
    where b.is_now and rt.deleted_at is null and not rt.is_retest group by 1),
  base as (select b.*, coalesce(t.tests, 0) as tests, coalesce(t.resulted, 0) as resulted, coalesce(t.failed, 0) as failed from received b left join tested t on t.requisition_id = b.requisition_id)`

const sums = sql`count(*) filter (where is_now)::int as "reqCount", count(distinct patient_id) filter (where is_now)::int as "patientCount", coalesce(sum(tests), 0)::int as "testCount",
  coalesce(sum(resulted), 0)::int as "resultedCount", coalesce(sum(failed), 0)::int as "failedCount", (count(*) filter (where is_now and is_released))::int as "releasedReqCount",
  (count(*) filter (where not is_now))::int as "prevReqCount", ${percent(sql`(count(*) filter (where is_now) - count(*) filter (where not is_now))`, sql`count(*) filter (where not is_now)`)} as "changePercent"`

interface Grouping {
  code: string
  columns: readonly ReportColumn[]
  /** The columns that name a row; `base` is `b`. */
  names: Sql
  from: (call: ReportCall) => Sql
  groupBy: Sql
  /** The same columns in the total row. */
  totalNames: Sql
  orderBy: Sql
  label: string
}

/** Requisitions by sender. The total counts each requisition once, even if it appears in several rows. */
const volume = ({ code, columns, names, from, groupBy, totalNames, orderBy, label }: Grouping): ReportDefinition => ({
  code,
  columns: [...columns, ...figures],
  chart: { label: [label], bars: ['reqCount', 'prevReqCount'], isStacked: false, unit: 'Requisitions' },
  query: (call) => sql`with ${scopedRows(call)}, ${base},
    report_row as (select 0 as level, 'row' as "rowKind", ${names}, ${sums} from ${from(call)} group by ${groupBy}
      union all select 1, 'total', ${totalNames}, ${sums} from base)
    select * from report_row order by level, ${orderBy}`,
})

/** SUMCLIENT */
export const volumeByClient = volume({
  code: 'SUMCLIENT',
  columns: columnsOf(['legacyClientId', 'Client ID'], ['clientName', 'Client']),
  names: sql`c.legacy_client_id as "legacyClientId", c.name as "clientName"`,
  from: () => sql`base b join client c on c.id = b.client_id`,
  groupBy: sql`c.id, c.legacy_client_id, c.name`,
  totalNames: sql`null, 'Total'`,
  orderBy: sql`"reqCount" desc, "clientName"`,
  label: 'clientName',
})

/** SUMCOLA */
export const volumeByCollaborator = volume({
  code: 'SUMCOLA',
  columns: columnsOf(['colaName', 'Collaborator']),
  names: sql`coalesce(co.name, 'None') as "colaName"`,
  from: () => sql`base b left join collaborator co on co.id = b.collaborator_id`,
  groupBy: sql`co.id, co.name`,
  totalNames: sql`'Total'`,
  orderBy: sql`"reqCount" desc, "colaName"`,
  label: 'colaName',
})

/** Everybody sees the reps of the clients in scope; a rep sees only themselves and those who report to them. */
const reps = ({ actor }: ReportCall): Sql =>
  actor.role === 'SLS'
    ? sql`join client_sales cs on cs.client_id = b.client_id join sales_person sp on sp.id = cs.sales_person_id and sp.type_code = 'SLS' and sp.deleted_at is null
        and sp.id in (with recursive team as (select ${actor.entityId}::int as id union select p.id from sales_person p join team on team.id = p.report_to_id) select id from team)`
    : sql`left join (client_sales cs join sales_person sp on sp.id = cs.sales_person_id and sp.type_code = 'SLS' and sp.deleted_at is null) on cs.client_id = b.client_id`

/** SUMSALES */
export const volumeBySales = volume({
  code: 'SUMSALES',
  columns: columnsOf(['salesRepCode', 'Rep Code'], ['salesName', 'Sales Rep'], ['clientCount', 'Clients', 'integer']),
  names: sql`sp.rep_code as "salesRepCode", coalesce(sp.last_name || ', ' || sp.first_name, 'None') as "salesName", (count(distinct b.client_id) filter (where is_now))::int as "clientCount"`,
  from: (call) => sql`base b ${reps(call)}`,
  groupBy: sql`sp.id, sp.rep_code, sp.last_name, sp.first_name`,
  totalNames: sql`null, 'Total', (count(distinct client_id) filter (where is_now))::int`,
  orderBy: sql`"reqCount" desc, "salesName"`,
  label: 'salesName',
})
