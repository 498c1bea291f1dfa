import { can } from '@lis/contract/access/permissions.ts'
import { sql } from 'kysely'
import { isForCurrentParties } from '../../reports/queries.ts'
import {
  columnsOf,
  isInPeriod,
  localTime,
  type ReportCall,
  type ReportDefinition,
  scopedRows,
  wholeHours,
} from '../definition.ts'

/**
 * The content of a version says which tests it reports. A further report is a correction when it reports the same tests again, or
 * changes the value of one; a report that only adds tests completes a partial release.
 */
const correctsEarlier = sql`exists (
  select from report o join report_event oe on oe.report_id = o.id and oe.action_code = 'RELEASE' and oe.at < e.at
    join report_version ov on ov.report_id = o.id and ov.version_no = coalesce(oe.version_no, 1)
  where o.requisition_id = p.requisition_id and o.id <> p.id
    and exists (select from jsonb_array_elements(v.content -> 'results') n join jsonb_array_elements(ov.content -> 'results') b on b ->> 'code' = n ->> 'code' where n ->> 'value' <> '')
    and (not exists (select from jsonb_array_elements(v.content -> 'results') n where n ->> 'value' <> '' and not exists (
          select from jsonb_array_elements(ov.content -> 'results') b where b ->> 'code' = n ->> 'code' and b ->> 'value' <> ''))
      or exists (select from jsonb_array_elements(v.content -> 'results') n join jsonb_array_elements(ov.content -> 'results') b on b ->> 'code' = n ->> 'code'
        where b ->> 'value' <> '' and b ->> 'value' is distinct from n ->> 'value')))`

const seesRepeated = ({ actor }: ReportCall) => sql`${can(actor.role, 'reports.seeLabQc')}::boolean`

/** QACORR. Outside the laboratory it shows no more than the tabs of a requisition: no lab notes, no lab QC, no former patient. */
export const correctedReports: ReportDefinition = {
  code: 'QACORR',
  columns: columnsOf(
    ['reqId', 'Req ID', 'integer'],
    ['clientName', 'Client'],
    ['reportOriginalFileName', 'Report File'],
    ['kind', 'Kind'],
    ['eventDate', 'Date', 'datetime'],
    ['firstReleaseDate', 'First Release', 'datetime'],
    ['hoursAfterRelease', 'Hours after Release', 'integer'],
    ['byName', 'By'],
    ['note', 'Note'],
  ),
  chart: { label: ['clientName', 'kind'], bars: [], isStacked: false, unit: 'Reports' },
  query: (call) => sql`with ${scopedRows(call)},
    events as (select req.requisition_id, req.client_id, req.lab_zone, p.id as report_id, e.id, e.at, e.actor_id, f.original_name,
        case when e.action_code = 'REPEAT' then 'Repeated' else 'Corrected' end as kind
      from report_event e join report p on p.id = e.report_id join req on req.requisition_id = p.requisition_id
      join report_version v on v.report_id = p.id and v.version_no = coalesce(e.version_no, p.current_version_no) join stored_file f on f.id = v.file_id
      where ${isInPeriod(sql`e.at`, call)} and ${can(call.actor.role, 'reports.edit') ? sql`true` : isForCurrentParties}
        and (e.action_code = 'REPEAT' and ${seesRepeated(call)} or (e.action_code = 'RELEASE' and (v.version_no > 1 or ${correctsEarlier})))),
    released as (select count(*) as n from report p join req on req.requisition_id = p.requisition_id where p.deleted_at is null and ${isInPeriod(sql`coalesce(p.first_release_at, p.release_at)`, call)}),
    report_row as (
      select 0 as level, 'row' as row_kind, e.kind, e.requisition_id, c.name as client, e.original_name, e.at, e.id, ${localTime(sql`e.at`)} as event_date, ${localTime(sql`first.at`)} as first_date,
          case when e.at >= first.at then ${wholeHours(sql`first.at`, sql`e.at`)} end as hours, u.first_name || ' ' || u.last_name as by_name, case when ${can(call.actor.role, 'requisitionTabs.labNotes')}::boolean then n.note end as note
        from events e join client c on c.id = e.client_id left join app_user u on u.id = e.actor_id
        left join lateral (select min(x.at) as at from report o join report_event x on x.report_id = o.id and x.action_code = 'RELEASE' where o.requisition_id = e.requisition_id) first on true
        left join lateral (select n.note from lab_note n join lab_note_type t on t.id = n.type_id and t.code in ('CORR', 'REPEAT') where n.requisition_id = e.requisition_id and n.deleted_at is null
          order by n.created_at desc, n.id desc limit 1) n on true
      union all
      select 1, 'subtotal', k.kind, null, 'Total ' || lower(k.kind), null, null, null, null, null, null, null,
          count(e.id) || ' of ' || r.n || ' released reports' || coalesce(' (' || round(100.0 * count(e.id) / nullif(r.n, 0), 1) || ' %)', '')
        from (values ('Corrected'), ('Repeated')) k(kind) cross join released r left join events e on e.kind = k.kind
        where k.kind <> 'Repeated' or ${seesRepeated(call)} group by k.kind, r.n)
    select row_kind as "rowKind", requisition_id as "reqId", client as "clientName", original_name as "reportOriginalFileName", kind, event_date as "eventDate",
      first_date as "firstReleaseDate", hours as "hoursAfterRelease", by_name as "byName", note
    from report_row order by kind, level, at, id`,
}
