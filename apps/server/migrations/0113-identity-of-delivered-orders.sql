-- What a delivered order says of its patient is kept with the order
-- The name and birth date under which the report went out. Kept when the record of the patient is about to say something else, so that only the
-- orders that differ from the record have a row. Sex is not among them: results are read by the sex that holds now, and their reports are held.
create table requisition_identity (
  requisition_id bigint primary key references requisition, first_name text not null, middle_name text, last_name text not null, dob date not null,
  kept_at timestamptz not null default now()
);
alter table requisition_identity enable row level security;
create policy requisition_identity_scope on requisition_identity to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = requisition_identity.requisition_id)) with check (true);
revoke insert, update, delete on requisition_identity from lis_app;

-- The patient of a requisition as the requisition shows them.
create view requisition_patient with (security_invoker = true) as
select r.id as requisition_id, p.id, coalesce(k.first_name, p.first_name) as first_name,
  case when k.requisition_id is null then p.middle_name else k.middle_name end as middle_name, coalesce(k.last_name, p.last_name) as last_name,
  coalesce(k.dob, p.dob) as dob,
  case when k.requisition_id is null then p.name_key else sort_key(k.last_name || ', ' || k.first_name) end as name_key, p.gender_code, p.race_code,
  p.ethnicity_code, p.ssn_last4, p.addr1, p.addr2, p.city, p.state_id, p.country_id, p.zip, p.email, p.home_phone, p.work_phone, p.is_notify_opt_out, p.version, p.deleted_at
from requisition r join patient p on p.id = r.patient_id left join requisition_identity k on k.requisition_id = r.id;
grant select on requisition_patient to lis_app;

-- Spaces alone are no other name.
create function single_spaced(text) returns text language sql immutable
  return regexp_replace($1, '[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+', ' ', 'g');

-- As the owner: a partner who corrects a patient must not rewrite what others have received.
create function requisition_identity_keep() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
  insert into requisition_identity (requisition_id, first_name, middle_name, last_name, dob)
    select r.id, old.first_name, old.middle_name, old.last_name, old.dob from requisition r join requisition_status_type st on st.code = r.status_code
    where r.patient_id = old.id and r.deleted_at is null and st.sort_order >= (select sort_order from requisition_status_type where code = 'DELIVER')
    on conflict do nothing;
  return new;
end $$;
create trigger requisition_identity_keep before update on patient for each row
  when ((single_spaced(old.first_name), single_spaced(old.middle_name), single_spaced(old.last_name), old.dob)
    is distinct from (single_spaced(new.first_name), single_spaced(new.middle_name), single_spaced(new.last_name), new.dob))
  execute function requisition_identity_keep();

-- An order that is in work again, or has another patient, follows the record.
create function requisition_identity_drop() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
  delete from requisition_identity k using requisition_status_type st where k.requisition_id = new.id and st.code = new.status_code
    and (new.patient_id <> old.patient_id or st.sort_order < (select sort_order from requisition_status_type where code = 'DELIVER'));
  if found then perform requisition_list_refresh(array[new.id]); end if;
  return null;
end $$;
create trigger requisition_identity_drop after update on requisition for each row
  when (old.status_code <> new.status_code or old.patient_id <> new.patient_id) execute function requisition_identity_drop();

create or replace view requisition_list_source as
select r.id as requisition_id, r.status_code, st.tab_code, r.client_id, r.collaborator_id, r.physician_id, r.copy_physician_id, r.lab_id, r.patient_id, r.event_id,
  sp.id as sales_person_id, p.name_key collate "C" as patient_key, sort_key(ph.last_name || ', ' || ph.first_name) collate "C" as physician_key, sort_key(c.name) collate "C" as client_key,
  coalesce(sp.rep_code, '') collate "C" as sales_rep_code, p.dob as patient_dob, p.gender_code, r.collected_at, r.collected_zone, r.logged_at, s.received_at, rp.reported_at, rp.released_at,
  dl.delivered_at, dl.requested_by as delivered_by, dl.transmit_method_code as delivery_method_code, coalesce(t.codes, '') collate "C" as test_codes, r.bill_type_code, ins.company_name as insurance_company,
  coalesce(fl.ids, '{}') as flag_ids, coalesce(rr.ids, '{}') as pass_reason_ids, coalesce(iss.n, 0) as open_issue_count, coalesce(iss.depts, '{}') as issue_department_ids,
  coalesce(rp.n > 0 and t.pending > 0, false) as is_partial_report, coalesce(rp.released > 0 and rp.released < rp.n, false) as is_partial_release,
  coalesce(rp.released > 0, false) as is_downloadable, r.is_send_notif, r.is_dem_qc_pass,
  exists (select from billing_batch_item i where i.requisition_id = r.id and i.left_out is null) as is_batched
from requisition r
join requisition_status_type st on st.code = r.status_code
join requisition_patient p on p.requisition_id = r.id join client c on c.id = r.client_id join physician ph on ph.id = r.physician_id
left join client_sales cs on cs.client_id = c.id and cs.is_primary left join sales_person sp on sp.id = cs.sales_person_id
left join lateral (select string_agg(te.code, ',' order by te.code) as codes, count(*) filter (where rt.result is null and not te.is_calculated)::int as pending
  from requisition_test rt join test te on te.id = rt.test_id where rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest) t on true
left join lateral (select min(received_at) as received_at from specimen where requisition_id = r.id and deleted_at is null) s on true
left join lateral (select count(*)::int as n, (count(*) filter (where lab_qc_status_code = 'RELEASE'))::int as released, min(created_at) as reported_at, min(coalesce(first_release_at, release_at)) as released_at
  from report where requisition_id = r.id and deleted_at is null) rp on true
left join lateral (select d.delivered_at, d.requested_by, d.transmit_method_code from report_delivery d where d.requisition_id = r.id and d.delivered_at is not null
  and d.party_id = case d.recipient_kind when 'COLA' then r.collaborator_id when 'COPY' then nullif(r.copy_to_client_id, r.client_id) else r.client_id end
  order by d.delivered_at desc, d.id desc limit 1) dl on true
left join lateral (select array_agg(flag_id order by flag_id) as ids from requisition_flag where requisition_id = r.id) fl on true
left join lateral (select array_agg(x.reason_id order by x.reason_id) as ids from requisition_reason x join reason re on re.id = x.reason_id and re.type_code = 'PASS' where x.requisition_id = r.id) rr on true
left join lateral (select count(*)::int as n, array_agg(distinct reporter_department_id order by reporter_department_id) as depts
  from issue where requisition_id = r.id and deleted_at is null and status_code not in ('RESOLVED','CLOSED')) iss on true
left join lateral (select i.company_name from billing b join insurance i on i.billing_id = b.id and i.billing_order = 1 and i.deleted_at is null where b.requisition_id = r.id limit 1) ins on true
where r.deleted_at is null;

create or replace function requisition_list_refresh(ids bigint[]) returns void language plpgsql security definer
  set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from requisition_list where requisition_id = any(ids) order by requisition_id for no key update;
  insert into requisition_list as t select s.* from requisition_list_source s where s.requisition_id = any(ids) order by s.requisition_id
  on conflict (requisition_id) do update set
    (status_code, tab_code, client_id, collaborator_id, physician_id, copy_physician_id, lab_id, patient_id, event_id, sales_person_id, patient_key, physician_key, client_key, sales_rep_code,
     patient_dob, gender_code, collected_at, collected_zone, logged_at, received_at, reported_at, released_at, delivered_at, delivered_by, delivery_method_code, test_codes, bill_type_code,
     insurance_company, flag_ids, pass_reason_ids, open_issue_count, issue_department_ids, is_partial_report, is_partial_release, is_downloadable, is_send_notif, is_dem_qc_pass, is_batched)
    = (excluded.status_code, excluded.tab_code, excluded.client_id, excluded.collaborator_id, excluded.physician_id, excluded.copy_physician_id, excluded.lab_id, excluded.patient_id, excluded.event_id,
     excluded.sales_person_id, excluded.patient_key, excluded.physician_key, excluded.client_key, excluded.sales_rep_code, excluded.patient_dob, excluded.gender_code, excluded.collected_at,
     excluded.collected_zone, excluded.logged_at, excluded.received_at, excluded.reported_at, excluded.released_at, excluded.delivered_at, excluded.delivered_by, excluded.delivery_method_code,
     excluded.test_codes, excluded.bill_type_code, excluded.insurance_company, excluded.flag_ids, excluded.pass_reason_ids, excluded.open_issue_count, excluded.issue_department_ids,
     excluded.is_partial_report, excluded.is_partial_release, excluded.is_downloadable, excluded.is_send_notif, excluded.is_dem_qc_pass, excluded.is_batched)
    where t.* is distinct from excluded.*;
  delete from requisition_list l using requisition r where l.requisition_id = any(ids) and r.id = l.requisition_id and r.deleted_at is not null;
  insert into requisition_search as t
    select r.id, r.client_id, r.collaborator_id, p.name_key || coalesce('|' || lower(r.ext_order_id), '') from requisition r join requisition_patient p on p.requisition_id = r.id
    where r.id = any(ids) and r.deleted_at is null
  on conflict (requisition_id) do update set (client_id, collaborator_id, search_text) = (excluded.client_id, excluded.collaborator_id, excluded.search_text)
    where t.* is distinct from excluded.*;
  delete from requisition_search l using requisition r where l.requisition_id = any(ids) and r.id = l.requisition_id and r.deleted_at is not null;
end $$;
