import { sql } from 'kysely'
import { columnsOf, isInPeriod, percent, type ReportDefinition, scopedRows } from '../definition.ts'

const figures = sql`count(f.id)::int as "deliveryCount", (count(*) filter (where f.state = 'DELIVERED'))::int as "successCount", (count(*) filter (where f.state = 'FAILED'))::int as "failedCount",
  (count(*) filter (where f.state = 'PENDING'))::int as "pendingCount", coalesce(sum(f.attempts), 0)::int as "attemptCount",
  ${percent(sql`count(*) filter (where f.state = 'DELIVERED' and f.attempts = 1)`, sql`count(f.id)`)} as "firstTryPercent",
  round((percentile_cont(0.5) within group (order by f.minutes) filter (where f.state = 'DELIVERED'))::numeric, 1) as "medianMinutes"`

/** SUMDELIV. Methods without a message (portal, print) succeed at the first attempt. */
export const deliveries: ReportDefinition = {
  code: 'SUMDELIV',
  columns: columnsOf(
    ['transmitMethodDesc', 'Method'],
    ['deliveryCount', 'Deliveries', 'integer'],
    ['successCount', 'Successful', 'integer'],
    ['failedCount', 'Failed', 'integer'],
    ['pendingCount', 'Pending', 'integer'],
    ['attemptCount', 'Attempts', 'integer'],
    ['firstTryPercent', 'First Try %', 'decimal1'],
    ['medianMinutes', 'Median Minutes', 'decimal1'],
  ),
  chart: {
    label: ['transmitMethodDesc'],
    bars: ['successCount', 'pendingCount', 'failedCount'],
    isStacked: true,
    unit: 'Deliveries',
  },
  query: (call) => sql`with ${scopedRows(call)},
    facts as (select d.id, d.transmit_method_code as method, d.state, extract(epoch from d.delivered_at - d.requested_at) / 60 as minutes,
        case when d.message_id is null then (d.state <> 'PENDING')::int else (select count(*) from outbox_attempt a where a.message_id = d.message_id) end as attempts
      from report_delivery d join req on req.requisition_id = d.requisition_id where ${isInPeriod(sql`d.requested_at`, call)}),
    methods as (select m.place, m.code, coalesce(l.description, m.code) as name from (values (1, 'EMAIL'), (2, 'FAX'), (3, 'PORTAL'), (4, 'PRINT'), (5, 'HL7')) m(place, code)
      left join lov l on l.type_code = 'TRANSMITMETHOD' and l.code = m.code),
    report_row as (select m.place, 'row' as "rowKind", m.name as "transmitMethodDesc", ${figures} from methods m left join facts f on f.method = m.code group by m.place, m.name
      union all select 9, 'total', 'Total', ${figures} from facts f)
    select * from report_row order by place`,
}
