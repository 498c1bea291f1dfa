-- Requisition list
-- Compatible with the release before.
-- The order by flag as a column: the most urgent flag of each requisition as a negative number, so that it comes first in descending order,
-- and the smallest number without one. Computed for each row, all requisitions would have to be sorted for a page.
alter table requisition_list add column flag_order int not null default -1000000;
-- The latest release of a corrected report; null for the many without a correction.
alter table requisition_list add column corrected_at timestamptz;

create or replace view requisition_list_source as
select
  r.id as requisition_id,
  r.status_code,
  st.tab_code,
  r.client_id,
  r.collaborator_id,
  r.physician_id,
  r.copy_physician_id,
  r.lab_id,
  r.patient_id,
  r.event_id,
  sp.id as sales_person_id,
  p.name_key collate "C" as patient_key,
  sort_key(ph.last_name || ', ' || ph.first_name) collate "C" as physician_key,
  sort_key(c.name) collate "C" as client_key,
  coalesce(sp.rep_code, '') collate "C" as sales_rep_code,
  p.dob as patient_dob,
  p.gender_code,
  r.collected_at,
  r.collected_zone,
  r.logged_at,
  s.received_at,
  rp.reported_at,
  rp.released_at,
  dl.delivered_at,
  dl.requested_by as delivered_by,
  dl.transmit_method_code as delivery_method_code,
  coalesce(t.codes, '') collate "C" as test_codes,
  r.bill_type_code,
  ins.company_name as insurance_company,
  coalesce(fl.ids, '{}') as flag_ids,
  coalesce(rr.ids, '{}') as pass_reason_ids,
  coalesce(iss.n, 0) as open_issue_count,
  coalesce(iss.depts, '{}') as issue_department_ids,
  coalesce(rp.n > 0 and t.pending > 0, false) as is_partial_report,
  coalesce(rp.released > 0 and rp.released < rp.n, false) as is_partial_release,
  coalesce(rp.released > 0, false) as is_downloadable,
  r.is_send_notif,
  r.is_dem_qc_pass,
  exists (select from billing_batch_item i where i.requisition_id = r.id and i.left_out is null) as is_batched,
  due.at as due_at,
  late_order(r.status_code, greatest(r.status_at, s.received_at), due.at) as late_order,
  coalesce(fl.place, -1000000) as flag_order,
  rp.corrected_at
from requisition r
join requisition_status_type st on st.code = r.status_code
join requisition_patient p on p.requisition_id = r.id
join client c on c.id = r.client_id
join physician ph on ph.id = r.physician_id
left join client_sales cs on cs.client_id = c.id and cs.is_primary
left join sales_person sp on sp.id = cs.sales_person_id
left join lateral (
  select
    string_agg(te.code, ',' order by te.code) as codes,
    count(*) filter (where rt.result is null and not te.is_calculated)::int as pending
  from requisition_test rt
  join test te on te.id = rt.test_id
  where rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest) t on true
left join lateral (
  select min(received_at) as received_at
  from specimen
  where requisition_id = r.id and deleted_at is null) s on true
left join lateral (
  select
    count(*)::int as n,
    (count(*) filter (where lab_qc_status_code = 'RELEASE'))::int as released,
    min(created_at) as reported_at,
    min(coalesce(first_release_at, release_at)) as released_at,
    max(release_at) filter (where release_at > first_release_at and lab_qc_status_code = 'RELEASE') as corrected_at
  from report
  where requisition_id = r.id and deleted_at is null) rp on true
-- The last delivery to one who is a recipient today.
left join lateral (
  select d.delivered_at, d.requested_by, d.transmit_method_code
  from report_delivery d
  where d.requisition_id = r.id and d.delivered_at is not null
    and d.party_id = case d.recipient_kind
      when 'COLA' then r.collaborator_id
      when 'COPY' then nullif(r.copy_to_client_id, r.client_id)
      else r.client_id end
  order by d.delivered_at desc, d.id desc
  limit 1) dl on true
left join lateral (
  select array_agg(rf.flag_id order by rf.flag_id) as ids, -min(f.sort_order) as place
  from requisition_flag rf
  join flag f on f.id = rf.flag_id
  where rf.requisition_id = r.id) fl on true
left join lateral (
  select array_agg(x.reason_id order by x.reason_id) as ids
  from requisition_reason x
  join reason re on re.id = x.reason_id and re.type_code = 'PASS'
  where x.requisition_id = r.id) rr on true
left join lateral (
  select count(*)::int as n, array_agg(distinct reporter_department_id order by reporter_department_id) as depts
  from issue
  where requisition_id = r.id and deleted_at is null and status_code not in ('RESOLVED', 'CLOSED')) iss on true
left join lateral (
  select i.company_name
  from billing b
  join insurance i on i.billing_id = b.id and i.billing_order = 1 and i.deleted_at is null
  where b.requisition_id = r.id
  limit 1) ins on true
-- After the release it stays what it was.
left join lateral (
  select case when is_turning(r.status_code) then due_of(r.id, r.lab_id, s.received_at)
    else (select l.due_at from requisition_list l where l.requisition_id = r.id) end as at) due on true
where r.deleted_at is null;

create or replace function requisition_list_refresh(ids bigint[]) returns void language plpgsql security definer
  set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  perform turnaround_lock_shared();
  perform 1 from requisition_list where requisition_id = any(ids) order by requisition_id for no key update;

  insert into requisition_list as t
  select s.* from requisition_list_source s where s.requisition_id = any(ids) order by s.requisition_id
  on conflict (requisition_id) do update set
    (
      status_code, tab_code, client_id, collaborator_id, physician_id, copy_physician_id, lab_id, patient_id, event_id,
      sales_person_id, patient_key, physician_key, client_key, sales_rep_code, patient_dob, gender_code, collected_at,
      collected_zone, logged_at, received_at, reported_at, released_at, delivered_at, delivered_by, delivery_method_code,
      test_codes, bill_type_code, insurance_company, flag_ids, pass_reason_ids, open_issue_count, issue_department_ids,
      is_partial_report, is_partial_release, is_downloadable, is_send_notif, is_dem_qc_pass, is_batched,
      due_at, late_order, flag_order, corrected_at
    ) = (
      excluded.status_code, excluded.tab_code, excluded.client_id, excluded.collaborator_id, excluded.physician_id,
      excluded.copy_physician_id, excluded.lab_id, excluded.patient_id, excluded.event_id, excluded.sales_person_id,
      excluded.patient_key, excluded.physician_key, excluded.client_key, excluded.sales_rep_code, excluded.patient_dob,
      excluded.gender_code, excluded.collected_at, excluded.collected_zone, excluded.logged_at, excluded.received_at,
      excluded.reported_at, excluded.released_at, excluded.delivered_at, excluded.delivered_by, excluded.delivery_method_code,
      excluded.test_codes, excluded.bill_type_code, excluded.insurance_company, excluded.flag_ids, excluded.pass_reason_ids,
      excluded.open_issue_count, excluded.issue_department_ids, excluded.is_partial_report, excluded.is_partial_release,
      excluded.is_downloadable, excluded.is_send_notif, excluded.is_dem_qc_pass, excluded.is_batched,
      excluded.due_at, excluded.late_order, excluded.flag_order, excluded.corrected_at
    )
    where t.* is distinct from excluded.*;
  delete from requisition_list l
  using requisition r
  where l.requisition_id = any(ids) and r.id = l.requisition_id and r.deleted_at is not null;

  insert into requisition_search as t
  select r.id, r.client_id, r.collaborator_id, p.name_key || coalesce('|' || lower(r.ext_order_id), '')
  from requisition r
  join requisition_patient p on p.requisition_id = r.id
  where r.id = any(ids) and r.deleted_at is null
  on conflict (requisition_id) do update
    set (client_id, collaborator_id, search_text) = (excluded.client_id, excluded.collaborator_id, excluded.search_text)
    where t.* is distinct from excluded.*;
  delete from requisition_search l
  using requisition r
  where l.requisition_id = any(ids) and r.id = l.requisition_id and r.deleted_at is not null;
end $$;

-- Gives the next rows their flag order: those from before this migration, and after a change of the order of the flags. Returns how many.
create function flag_order_fill() returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  filled int;
begin
  with stale as (
    select l.requisition_id, x.place
    from requisition_list l
    cross join lateral (select coalesce(-min(f.sort_order), -1000000) as place from flag f where f.id = any(l.flag_ids)) x
    where l.flag_ids <> '{}' and l.flag_order <> x.place
    order by l.requisition_id
    limit 1000
    for no key update of l)
  update requisition_list l
  set flag_order = stale.place
  from stale
  where l.requisition_id = stale.requisition_id;
  get diagnostics filled = row_count;
  return filled;
end $$;
revoke execute on function flag_order_fill() from public;
grant execute on function flag_order_fill() to lis_app;

create index requisition_list_flag_order on requisition_list (flag_order, requisition_id);
create index requisition_list_tab_flag_order on requisition_list (tab_code, flag_order, requisition_id);

create index report_corrected on report (requisition_id) where release_at > first_release_at and lab_qc_status_code = 'RELEASE' and deleted_at is null;
drop index report_released_again;

-- Fills the column in the next rows from before this migration. Returns how many.
create function corrected_at_fill() returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  filled int;
begin
  with stale as (
    select l.requisition_id
    from requisition_list l
    where l.corrected_at is null and l.requisition_id in (
      select requisition_id from report where release_at > first_release_at and lab_qc_status_code = 'RELEASE' and deleted_at is null)
    order by l.requisition_id
    limit 1000
    for no key update of l)
  update requisition_list l
  set corrected_at = (
    select max(p.release_at) from report p
    where p.requisition_id = l.requisition_id and p.release_at > p.first_release_at and p.lab_qc_status_code = 'RELEASE' and p.deleted_at is null)
  from stale
  where l.requisition_id = stale.requisition_id;
  get diagnostics filled = row_count;
  return filled;
end $$;
revoke execute on function corrected_at_fill() from public;
grant execute on function corrected_at_fill() to lis_app;

-- Few requisitions are corrected, so the columns of each scope fit into one index.
create index requisition_list_corrected on requisition_list (corrected_at, client_id, collaborator_id, physician_id, copy_physician_id)
  where corrected_at is not null;
