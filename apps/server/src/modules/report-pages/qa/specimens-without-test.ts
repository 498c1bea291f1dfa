import { sql } from 'kysely'
import { columnsOf, isInPeriod, localTime, type ReportDefinition, scopedRows, wholeHours } from '../definition.ts'

const ordered = sql`requisition_test rt join test t on t.id = rt.test_id where rt.requisition_id = req.requisition_id and rt.deleted_at is null and not rt.is_retest`

/** QANOTEST. Includes specimens that none of the ordered tests can use; a test without specimen types accepts any. */
export const specimensWithoutTest: ReportDefinition = {
  code: 'QANOTEST',
  columns: columnsOf(
    ['reqId', 'Req ID', 'integer'],
    ['clientName', 'Client'],
    ['patientName', 'Patient Name'],
    ['specimenTypeDesc', 'Specimen'],
    ['tubeCount', 'Tubes', 'integer'],
    ['dateReceived', 'Received', 'datetime'],
    ['ageHours', 'Age in Hours', 'integer'],
    ['specCreateByUsername', 'Received By'],
  ),
  chart: { label: ['clientName'], bars: [], isStacked: false, unit: 'Specimens' },
  query: (call) => sql`with ${scopedRows(call)},
    found as (select req.requisition_id, req.client_id, req.patient_id, req.lab_zone, s.id, s.type_code, s.tube_count, s.received_at, s.created_by, exists (select from ${ordered}) as has_tests
      from specimen s join req on req.requisition_id = s.requisition_id
      where s.deleted_at is null and req.status_code in ('LOG', 'ACC') and ${isInPeriod(sql`s.received_at`, call)}
        and not exists (select from ${ordered} and (s.type_code = any(t.specimen_type_codes) or t.specimen_type_codes = '{}'))),
    report_row as (
      select 0 as level, 'row' as kind, f.requisition_id, c.name as client, p.last_name || ', ' || p.first_name as patient,
          coalesce(l.description, f.type_code) || case when f.has_tests then ' (no test for this specimen)' else '' end as specimen, f.tube_count::bigint as tubes, f.received_at, f.id,
          ${localTime(sql`f.received_at`)} as received, ${wholeHours(sql`f.received_at`, sql`now()`)} as age, u.user_name::text as user_name
        from found f join client c on c.id = f.client_id join patient p on p.id = f.patient_id left join lov l on l.type_code = 'SPECIMENTYPE' and l.code = f.type_code
        left join app_user u on u.id = f.created_by
      union all
      select 1, 'subtotal', null, c.name, 'Total', count(*) || ' specimens', sum(f.tube_count), null, null, null, null, null from found f join client c on c.id = f.client_id group by c.id, c.name
      union all
      select 2, 'total', null, 'All clients', 'Total', count(*) || ' specimens', coalesce(sum(tube_count), 0), null, null, null, null, null from found)
    select kind as "rowKind", requisition_id as "reqId", client as "clientName", patient as "patientName", specimen as "specimenTypeDesc", tubes::int as "tubeCount", received as "dateReceived",
      age as "ageHours", user_name as "specCreateByUsername"
    from report_row order by level = 2, client, level, received_at, id`,
}
