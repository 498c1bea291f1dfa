import { sql } from 'kysely'
import type { Sql } from '../../../platform/lists.ts'
import { chargesWhere } from '../../billing/queries.ts'
import { columnsOf, isInPeriod, isNearPeriod, type ReportDefinition, scopedRows } from '../definition.ts'

const billed = sql`('BILL', 'OABILL', 'XEROBILL', 'INVOICE')`
const monthOf = (instant: Sql): Sql => sql`to_char(${instant} at time zone lab_zone, 'YYYY-MM')`
/** The currency without a price. */
const plainCurrency = sql`coalesce((select min(x.currency_code) from client_test_price x where x.client_id = req.client_id and x.deleted_at is null), 'USD')`
const sums = sql`sum(billed)::int as "billedReqCount", sum(amount)::numeric(14,2) as "billedAmount", sum(ins)::numeric(14,2) as "insurancePaid", sum(pat)::numeric(14,2) as "patientPaid",
  sum(cli)::numeric(14,2) as "clientPaid", sum(adj)::numeric(14,2) as adjustments, sum(ref)::numeric(14,2) as refunds, sum(ins + pat + cli - adj - ref)::numeric(14,2) as "netPaid",
  sum(miss)::int as "missBillCount", sum(lost)::int as "nonCollectCount"`

/**
 * SUMBILL. Amounts charged by a batch count as charged by the first one, under the bill type of that time; requisitions billed without a batch
 * at the current price, as in 'Balance'; 'no charge' counts as zero. Users who may not see the prices of a client do not see billed amounts
 * either, nor that prices are missing. `netPaid` is defined as all payments less adjustments and refunds. An adjustment is stored as what was
 * written off, a refund with a minus sign.
 */
export const billing: ReportDefinition = {
  code: 'SUMBILL',
  columns: columnsOf(
    ['month', 'Month'],
    ['reqBillTypeDesc', 'Bill Type'],
    ['currencyCode', 'Currency'],
    ['billedReqCount', 'Billed Requisitions', 'integer'],
    ['billedAmount', 'Billed Amount', 'money'],
    ['insurancePaid', 'Insurance Paid', 'money'],
    ['patientPaid', 'Patient Paid', 'money'],
    ['clientPaid', 'Client Paid', 'money'],
    ['adjustments', 'Written Off', 'money'],
    ['refunds', 'Refunds', 'money'],
    ['netPaid', 'Paid Less Written Off', 'money'],
    ['missBillCount', 'Missing Information', 'integer'],
    ['nonCollectCount', 'Not Collectible', 'integer'],
  ),
  chart: {
    label: ['month', 'reqBillTypeDesc', 'currencyCode'],
    bars: ['billedAmount', 'netPaid'],
    isStacked: false,
    unit: 'Amount',
  },
  query: (call) => sql`with ${scopedRows(call)},
    entered as (select distinct on (e.requisition_id, e.kind) e.requisition_id, e.kind, e.at from (
        select requisition_id, case when to_code in ${billed} then 'BILLED' else 'LOST' end as kind, at from requisition_status_event
        where (to_code in ${billed} or to_code = 'NONCOLLECT') and ${isNearPeriod(sql`at`, call)}) e order by 1, 2, 3),
    first as (select req.*, e.kind, e.at, ${monthOf(sql`e.at`)} as month from entered e join req on req.requisition_id = e.requisition_id
      where ${isInPeriod(sql`e.at`, call)}
        and case when e.kind = 'BILLED' and exists (select from requisition_status_event o where o.requisition_id = e.requisition_id and o.to_code in ${billed} and o.at < e.at) then 1 else 0 end <> 1),
    counted as (select f.requisition_id, f.month, f.client_id, coalesce(b.bill_type_code, f.bill_type_code) as bill_type_code, b.batch_id from first f
      left join lateral (select i.batch_id, i.bill_type_code from billing_batch_item i join billing_batch b on b.id = i.batch_id
        where i.requisition_id = f.requisition_id and i.left_out is null and b.send_status_code = 'SENT'
          and (i.bill_type_code = 'NOCHARGE' or exists (select from billing_charge c where c.batch_id = i.batch_id and c.requisition_id = i.requisition_id))
        order by b.bill_send_at, i.batch_id limit 1) b on true where f.kind = 'BILLED'),
    charged as (${chargesWhere((id) => sql`${id} in (select requisition_id from counted where batch_id is null and bill_type_code is distinct from 'NOCHARGE')`)}),
    priced as (select k.month, k.bill_type_code, z.currency_code, z.amount, null::text[] as unpriced from counted k
        left join lateral (select c.currency_code, sum(c.amount) as amount from billing_charge c where c.requisition_id = k.requisition_id and c.batch_id = k.batch_id and is_client_row_seen(k.client_id) group by 1) z on true
        where k.batch_id is not null or k.bill_type_code = 'NOCHARGE'
      union all select k.month, k.bill_type_code, c."currencyCode", sum(c.amount::numeric), array_agg(distinct c."testCode") filter (where c.amount is null and c."testCode" is not null and is_client_row_seen(k.client_id))
        from counted k left join charged c on c."requisitionId" = k.requisition_id where k.batch_id is null and k.bill_type_code is distinct from 'NOCHARGE' group by k.requisition_id, 1, 2, 3),
    months as (select to_char(m, 'YYYY-MM') as month, least((m + interval '1 month')::date, ${call.to}::date + 1) as day_after
      from generate_series(date_trunc('month', ${call.from}::date::timestamp), ${call.to}::date::timestamp, interval '1 month') m),
    missing as (select req.requisition_id, req.client_id, req.bill_type_code, m.month from (select distinct requisition_id from requisition_status_event where to_code = 'MISSBILL') x
      join req on req.requisition_id = x.requisition_id cross join months m
      where 'MISSBILL' = (select e.to_code from requisition_status_event e where e.requisition_id = req.requisition_id and e.at < m.day_after::timestamp at time zone lab_zone order by e.at desc, e.id desc limit 1)),
    parts as (
      select month, bill_type_code, coalesce(currency_code, 'USD') as currency_code, count(*) as billed, coalesce(sum(amount), 0) as amount, 0::numeric as ins, 0::numeric as pat, 0::numeric as cli,
          0::numeric as adj, 0::numeric as ref, 0::bigint as miss, 0::bigint as lost
        from priced group by 1, 2, 3
      union all select to_char(p.payment_date, 'YYYY-MM'), req.bill_type_code, p.currency_code, 0, 0,
          coalesce(sum(p.amount) filter (where p.payment_type_code not in ('ADJUST', 'REFUND') and p.payer_type_code = 'INS'), 0),
          coalesce(sum(p.amount) filter (where p.payment_type_code not in ('ADJUST', 'REFUND') and p.payer_type_code in ('PAT', 'GUAR')), 0),
          coalesce(sum(p.amount) filter (where p.payment_type_code not in ('ADJUST', 'REFUND') and p.payer_type_code in ('CLIENT', 'COLA')), 0),
          coalesce(sum(p.amount) filter (where p.payment_type_code = 'ADJUST'), 0), coalesce(-sum(p.amount) filter (where p.payment_type_code = 'REFUND'), 0), 0, 0
        from payment p join req on req.requisition_id = p.requisition_id where p.deleted_at is null and p.payment_date between ${call.from}::date and ${call.to}::date group by 1, 2, 3
      union all select month, bill_type_code, ${plainCurrency}, 0, 0, 0, 0, 0, 0, 0, count(*), 0 from missing req group by 1, 2, 3
      union all select month, bill_type_code, ${plainCurrency}, 0, 0, 0, 0, 0, 0, 0, 0, count(*) from first req where kind = 'LOST' group by 1, 2, 3),
    report_row as (
      select 0 as level, 'row' as "rowKind", month, coalesce(l.description, p.bill_type_code, 'None') as "reqBillTypeDesc", currency_code::text as "currencyCode", ${sums}
        from parts p left join lov l on l.type_code = 'REQBILLTYPE' and l.code = p.bill_type_code group by month, l.description, p.bill_type_code, currency_code
      union all select 1, 'total', 'Total', null, currency_code, ${sums} from parts group by currency_code
      union all select 2, 'note', 'Without price', string_agg(distinct code, ', ' order by code), null, null, null, null, null, null, null, null, null, null, null from priced, unnest(unpriced) code having count(*) > 0)
    select * from report_row order by level, month, "reqBillTypeDesc", "currencyCode"`,
}
