import { resultReadPermissions } from '@lis/contract/access/permissions.ts'
import { sql } from 'kysely'
import { columnsOf, localTime, type ReportDefinition, scopedRows } from '../definition.ts'
import { resultsInPeriod } from '../results-in-period.ts'

/** QAOOR */
export const outOfRange: ReportDefinition = {
  code: 'QAOOR',
  access: resultReadPermissions,
  columns: columnsOf(
    ['reqId', 'Req ID', 'integer'],
    ['clientName', 'Client'],
    ['colaName', 'Collaborator'],
    ['testCode', 'Test'],
    ['result', 'Result'],
    ['reportableResult', 'Reportable Result'],
    ['limitLo', 'Lower Limit', 'decimal'],
    ['limitHi', 'Upper Limit', 'decimal'],
    ['direction', 'Direction'],
    ['processDate', 'Process Date', 'datetime'],
    ['testPassCodes', 'Pass Codes'],
  ),
  chart: { label: ['testCode', 'direction'], bars: [], isStacked: false, unit: 'Results' },
  query: (call) => sql`with ${scopedRows(call)}, ${resultsInPeriod(call)},
    report_row as (
      select 0 as level, 'row' as kind, r.test_order, r.test_code, r.requisition_id, c.name as client, co.name as collaborator, r.result, r.reportable_result, r.limit_lo, r.limit_hi,
          case when r.is_below then 'Below' else 'Above' end as direction, r.process_date, r.id, ${localTime(sql`r.process_date`)} as processed,
          (select string_agg(re.code || ' ' || re.description, ', ' order by re.code) from requisition_test_reason x join reason re on re.id = x.reason_id and re.type_code = 'PASS'
            where x.requisition_test_id = r.id) as pass_codes
        from results r join client c on c.id = r.client_id join collaborator co on co.id = r.collaborator_id where r.is_below or r.is_above
      union all
      select 1, 'subtotal', test_order, test_code, null, 'Total', null, null, null, null, null, count(*) filter (where is_below) || ' below, ' || count(*) filter (where is_above) || ' above', null, null, null,
          round(100.0 * count(*) filter (where is_below or is_above) / count(*), 1) || ' % of ' || count(*) || ' results'
        from results where result_num is not null group by test_order, test_code having bool_or(is_below or is_above))
    select kind as "rowKind", requisition_id as "reqId", client as "clientName", collaborator as "colaName", test_code as "testCode", result, reportable_result as "reportableResult",
      limit_lo as "limitLo", limit_hi as "limitHi", direction, processed as "processDate", pass_codes as "testPassCodes"
    from report_row order by test_order, test_code, level, process_date, id`,
}
