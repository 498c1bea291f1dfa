-- The requisition list read model
-- One narrow row per living requisition: what the twelve views show, sort by, filter by and scope by. Names are stored as sort keys too, so
-- that every order is an index. Search text is in a table of its own, because a status move must not rewrite trigrams.
create table requisition_list (
  requisition_id bigint primary key, status_code text not null, tab_code text not null,
  client_id int not null, collaborator_id int not null, physician_id int not null, copy_physician_id int, lab_id int not null, patient_id bigint not null, event_id int not null,
  sales_person_id int, patient_key text collate "C" not null, physician_key text collate "C" not null, client_key text collate "C" not null, sales_rep_code text collate "C" not null,
  patient_dob date not null, gender_code text not null, collected_at timestamptz not null, collected_zone text not null, logged_at timestamptz not null,
  received_at timestamptz, reported_at timestamptz, released_at timestamptz, delivered_at timestamptz, delivered_by int, delivery_method_code text,
  test_codes text collate "C" not null, bill_type_code text, insurance_company text, flag_ids int[] not null, pass_reason_ids int[] not null, open_issue_count int not null,
  issue_department_ids int[] not null, is_partial_report boolean not null, is_partial_release boolean not null, is_downloadable boolean not null,
  is_send_notif boolean not null, is_dem_qc_pass boolean not null
) with (fillfactor = 80);                   -- room for HOT: edits that move no indexed column stay on their page

-- The one definition of the row. `npm run lists:verify` compares this view with the table (hence the collations: both sides must name the same).
create view requisition_list_source as
select r.id as requisition_id, r.status_code, st.tab_code, r.client_id, r.collaborator_id, r.physician_id, r.copy_physician_id, r.lab_id, r.patient_id, r.event_id,
  sp.id as sales_person_id, p.name_key collate "C" as patient_key, sort_key(ph.last_name || ', ' || ph.first_name) collate "C" as physician_key, sort_key(c.name) collate "C" as client_key,
  coalesce(sp.rep_code, '') collate "C" as sales_rep_code, p.dob as patient_dob, p.gender_code, r.collected_at, r.collected_zone, r.logged_at, s.received_at, rp.reported_at, rp.released_at,
  dl.delivered_at, dl.requested_by as delivered_by, dl.transmit_method_code as delivery_method_code, coalesce(t.codes, '') collate "C" as test_codes, r.bill_type_code, ins.company_name as insurance_company,
  coalesce(fl.ids, '{}') as flag_ids, coalesce(rr.ids, '{}') as pass_reason_ids, coalesce(iss.n, 0) as open_issue_count, coalesce(iss.depts, '{}') as issue_department_ids,
  coalesce(rp.n > 0 and t.pending > 0, false) as is_partial_report, coalesce(rp.released > 0 and rp.released < rp.n, false) as is_partial_release,
  coalesce(rp.released > 0, false) as is_downloadable, r.is_send_notif, r.is_dem_qc_pass
from requisition r
join requisition_status_type st on st.code = r.status_code
join patient p on p.id = r.patient_id join client c on c.id = r.client_id join physician ph on ph.id = r.physician_id
left join client_sales cs on cs.client_id = c.id and cs.is_primary left join sales_person sp on sp.id = cs.sales_person_id
left join lateral (select string_agg(te.code, ',' order by te.code) as codes, count(*) filter (where rt.result is null and not te.is_calculated)::int as pending
  from requisition_test rt join test te on te.id = rt.test_id where rt.requisition_id = r.id and rt.deleted_at is null and not rt.is_retest) t on true
left join lateral (select min(received_at) as received_at from specimen where requisition_id = r.id and deleted_at is null) s on true
left join lateral (select count(*)::int as n, (count(*) filter (where lab_qc_status_code = 'RELEASE'))::int as released, min(created_at) as reported_at, min(release_at) as released_at
  from report where requisition_id = r.id and deleted_at is null) rp on true
left join lateral (select delivered_at, requested_by, transmit_method_code from report_delivery where requisition_id = r.id and delivered_at is not null order by delivered_at desc, id desc limit 1) dl on true
left join lateral (select array_agg(flag_id order by flag_id) as ids from requisition_flag where requisition_id = r.id) fl on true
left join lateral (select array_agg(x.reason_id order by x.reason_id) as ids from requisition_reason x join reason re on re.id = x.reason_id and re.type_code = 'PASS' where x.requisition_id = r.id) rr on true
left join lateral (select count(*)::int as n, array_agg(distinct reporter_department_id order by reporter_department_id) as depts
  from issue where requisition_id = r.id and deleted_at is null and status_code not in ('RESOLVED','CLOSED')) iss on true
left join lateral (select i.company_name from billing b join insurance i on i.billing_id = b.id and i.billing_order = 1 and i.deleted_at is null where b.requisition_id = r.id limit 1) ins on true
where r.deleted_at is null;

create index requisition_list_tab_id on requisition_list (tab_code, requisition_id);
create index requisition_list_status_id on requisition_list (status_code, requisition_id);
create index requisition_list_collected on requisition_list (collected_at, requisition_id);
create index requisition_list_tab_collected on requisition_list (tab_code, collected_at, requisition_id);
create index requisition_list_patient on requisition_list (patient_key, requisition_id);
create index requisition_list_open_tab_patient on requisition_list (tab_code, patient_key, requisition_id) where tab_code <> 'BILL';   -- tiny: only what is still in the lab
create index requisition_list_sales_rep on requisition_list (sales_rep_code, requisition_id);
create index requisition_list_bill_type on requisition_list (bill_type_code, requisition_id);
create index requisition_list_test_codes on requisition_list (test_codes, requisition_id);
create index requisition_list_physician_name on requisition_list (physician_key, requisition_id);
create index requisition_list_client_name on requisition_list (client_key, requisition_id);
create index requisition_list_dob on requisition_list (patient_dob, requisition_id);
create index requisition_list_client on requisition_list (client_id, requisition_id);
create index requisition_list_client_collected on requisition_list (client_id, collected_at, requisition_id);
create index requisition_list_client_patient on requisition_list (client_id, patient_key, requisition_id);
create index requisition_list_client_physician on requisition_list (client_id, physician_key, requisition_id);
create index requisition_list_open_client_tab on requisition_list (client_id, tab_code, requisition_id) where tab_code <> 'BILL';   -- tiny
create index requisition_list_collaborator on requisition_list (collaborator_id, tab_code, requisition_id);
create index requisition_list_physician on requisition_list (physician_id, requisition_id);
create index requisition_list_copy_physician on requisition_list (copy_physician_id, requisition_id) where copy_physician_id is not null;

-- Search text: 'last, first|external order id'. One GIN index serves every scope: a multicolumn GIN may be asked by any of its columns.
create table requisition_search (
  requisition_id bigint primary key, client_id int not null, collaborator_id int not null, search_text text collate "C" not null
);
create index requisition_search_gin on requisition_search using gin (client_id, search_text gin_trgm_ops);

-- Counters: exact numbers per scope and status. Writers only ever INSERT deltas, so no two of them wait for each other; one job folds deltas into
-- the base (advisory lock, one transaction), and a reader adds both in one statement, so it sees each change exactly once.
create table requisition_count (
  scope text not null check (scope in ('CLNT','COLA','PHYS')), scope_id int not null, status_code text not null, n bigint not null, primary key (scope, scope_id, status_code)
) with (fillfactor = 50);
create table requisition_count_delta (
  status_code text not null, client_id int not null, collaborator_id int not null, physician_id int not null, copy_physician_id int, n int not null
);

create function requisition_count_ins() returns trigger language plpgsql as $$ begin
  insert into requisition_count_delta select status_code, client_id, collaborator_id, physician_id, copy_physician_id, count(*) from new_rows group by 1, 2, 3, 4, 5;
  return null; end $$;
create function requisition_count_del() returns trigger language plpgsql as $$ begin
  insert into requisition_count_delta select status_code, client_id, collaborator_id, physician_id, copy_physician_id, -count(*) from old_rows group by 1, 2, 3, 4, 5;
  return null; end $$;
create function requisition_count_upd() returns trigger language plpgsql as $$ begin
  insert into requisition_count_delta
  select status_code, client_id, collaborator_id, physician_id, copy_physician_id, sum(n) from (
    select status_code, client_id, collaborator_id, physician_id, copy_physician_id, 1 as n from new_rows union all
    select status_code, client_id, collaborator_id, physician_id, copy_physician_id, -1 from old_rows) x
  group by 1, 2, 3, 4, 5 having sum(n) <> 0;
  return null; end $$;
create trigger requisition_count_ins after insert on requisition_list referencing new table as new_rows for each statement execute function requisition_count_ins();
create trigger requisition_count_del after delete on requisition_list referencing old table as old_rows for each statement execute function requisition_count_del();
create trigger requisition_count_upd after update on requisition_list referencing old table as old_rows new table as new_rows for each statement execute function requisition_count_upd();

create view requisition_count_delta_by_scope as
  select 'CLNT' as scope, client_id as scope_id, status_code, n from requisition_count_delta
  union all select 'COLA', collaborator_id, status_code, n from requisition_count_delta
  union all select 'PHYS', physician_id, status_code, n from requisition_count_delta
  union all select 'PHYS', copy_physician_id, status_code, n from requisition_count_delta where copy_physician_id is not null and copy_physician_id <> physician_id;

create function requisition_count_fold() returns bigint language plpgsql as $$
declare folded bigint;
begin
  if not pg_try_advisory_xact_lock(hashtext('requisition_count_fold')) then return 0; end if;
  with gone as (delete from requisition_count_delta returning *),
  moved as (insert into requisition_count as t (scope, scope_id, status_code, n)
    select scope, scope_id, status_code, sum(n) from (
      select 'CLNT' as scope, client_id as scope_id, status_code, n from gone
      union all select 'COLA', collaborator_id, status_code, n from gone
      union all select 'PHYS', physician_id, status_code, n from gone
      union all select 'PHYS', copy_physician_id, status_code, n from gone where copy_physician_id is not null and copy_physician_id <> physician_id) x
    group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
    on conflict (scope, scope_id, status_code) do update set n = t.n + excluded.n)
  select count(*) into folded from gone;
  return folded;
end $$;

-- Brings the rows of these requisitions up to date. Lock first, compute second: two people who change different parts of one requisition at the same time
-- would otherwise overwrite each other's half of the row with a picture taken before the other committed.
-- Generic plan: planning this view's joins anew costs more than running them for one requisition (measured).
create function requisition_list_refresh(ids bigint[]) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from requisition_list where requisition_id = any(ids) order by requisition_id for no key update;
  insert into requisition_list as t select s.* from requisition_list_source s where s.requisition_id = any(ids) order by s.requisition_id
  on conflict (requisition_id) do update set
    (status_code, tab_code, client_id, collaborator_id, physician_id, copy_physician_id, lab_id, patient_id, event_id, sales_person_id, patient_key, physician_key, client_key, sales_rep_code,
     patient_dob, gender_code, collected_at, collected_zone, logged_at, received_at, reported_at, released_at, delivered_at, delivered_by, delivery_method_code, test_codes, bill_type_code,
     insurance_company, flag_ids, pass_reason_ids, open_issue_count, issue_department_ids, is_partial_report, is_partial_release, is_downloadable, is_send_notif, is_dem_qc_pass)
    = (excluded.status_code, excluded.tab_code, excluded.client_id, excluded.collaborator_id, excluded.physician_id, excluded.copy_physician_id, excluded.lab_id, excluded.patient_id, excluded.event_id,
     excluded.sales_person_id, excluded.patient_key, excluded.physician_key, excluded.client_key, excluded.sales_rep_code, excluded.patient_dob, excluded.gender_code, excluded.collected_at,
     excluded.collected_zone, excluded.logged_at, excluded.received_at, excluded.reported_at, excluded.released_at, excluded.delivered_at, excluded.delivered_by, excluded.delivery_method_code,
     excluded.test_codes, excluded.bill_type_code, excluded.insurance_company, excluded.flag_ids, excluded.pass_reason_ids, excluded.open_issue_count, excluded.issue_department_ids,
     excluded.is_partial_report, excluded.is_partial_release, excluded.is_downloadable, excluded.is_send_notif, excluded.is_dem_qc_pass)
    where t.* is distinct from excluded.*;
  delete from requisition_list l using requisition r where l.requisition_id = any(ids) and r.id = l.requisition_id and r.deleted_at is not null;
  insert into requisition_search as t
    select r.id, r.client_id, r.collaborator_id, p.name_key || coalesce('|' || lower(r.ext_order_id), '') from requisition r join patient p on p.id = r.patient_id
    where r.id = any(ids) and r.deleted_at is null
  on conflict (requisition_id) do update set (client_id, collaborator_id, search_text) = (excluded.client_id, excluded.collaborator_id, excluded.search_text)
    where t.* is distinct from excluded.*;
  delete from requisition_search l using requisition r where l.requisition_id = any(ids) and r.id = l.requisition_id and r.deleted_at is not null;
end $$;

-- The list can never disagree with its sources: statement triggers call the refresh, once per statement and for all its rows.
create function requisition_list_touch() returns trigger language plpgsql as $$
declare ids bigint[];
begin
  if tg_op = 'INSERT' then ids := array(select distinct requisition_id from new_rows);
  elsif tg_op = 'DELETE' then ids := array(select distinct requisition_id from old_rows);
  else ids := array(select requisition_id from new_rows union select requisition_id from old_rows); end if;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create function requisition_list_touch_self() returns trigger language plpgsql as $$
declare ids bigint[];
begin
  ids := array(select id from new_rows);
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_ins after insert on requisition referencing new table as new_rows for each statement execute function requisition_list_touch_self();
create trigger requisition_list_upd after update on requisition referencing new table as new_rows for each statement execute function requisition_list_touch_self();
do $$ declare t text; begin
  foreach t in array array['requisition_test','specimen','report','report_delivery','issue','requisition_flag','requisition_reason'] loop
    execute format('create trigger requisition_list_ins after insert on %I referencing new table as new_rows for each statement execute function requisition_list_touch()', t);
    execute format('create trigger requisition_list_upd after update on %I referencing old table as old_rows new table as new_rows for each statement execute function requisition_list_touch()', t);
    execute format('create trigger requisition_list_del after delete on %I referencing old table as old_rows for each statement execute function requisition_list_touch()', t);
  end loop;
end $$;

-- Names and sales reps fan out to every requisition of the record, but only when a shown part really changes.
create function requisition_list_touch_owner() returns trigger language plpgsql as $$
declare ids bigint[];
begin
  case tg_table_name
    when 'patient' then ids := array(select r.id from requisition r join new_rows n on n.id = r.patient_id join old_rows o on o.id = n.id
      where (n.name_key, n.dob, n.gender_code) is distinct from (o.name_key, o.dob, o.gender_code));
    when 'client' then ids := array(select l.requisition_id from requisition_list l join new_rows n on n.id = l.client_id join old_rows o on o.id = n.id where n.name is distinct from o.name);
    when 'physician' then ids := array(select l.requisition_id from requisition_list l join new_rows n on n.id = l.physician_id join old_rows o on o.id = n.id
      where (n.first_name, n.last_name) is distinct from (o.first_name, o.last_name));
    when 'sales_person' then ids := array(select l.requisition_id from requisition_list l join client_sales cs on cs.client_id = l.client_id and cs.is_primary
      join new_rows n on n.id = cs.sales_person_id join old_rows o on o.id = n.id where n.rep_code is distinct from o.rep_code);
  end case;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
do $$ declare t text; begin
  foreach t in array array['patient','client','physician','sales_person'] loop
    execute format('create trigger requisition_list_upd after update on %I referencing old table as old_rows new table as new_rows for each statement execute function requisition_list_touch_owner()', t);
  end loop;
end $$;
create function requisition_list_touch_client_sales() returns trigger language plpgsql as $$
declare ids bigint[];
begin
  if tg_op = 'DELETE' then ids := array(select l.requisition_id from requisition_list l where l.client_id in (select client_id from old_rows where is_primary));
  else ids := array(select l.requisition_id from requisition_list l where l.client_id in (select client_id from new_rows)); end if;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_ins after insert on client_sales referencing new table as new_rows for each statement execute function requisition_list_touch_client_sales();
create trigger requisition_list_upd after update on client_sales referencing new table as new_rows for each statement execute function requisition_list_touch_client_sales();
create trigger requisition_list_del after delete on client_sales referencing old table as old_rows for each statement execute function requisition_list_touch_client_sales();
create function requisition_list_touch_insurance() returns trigger language plpgsql as $$
begin
  perform requisition_list_refresh(array(select distinct b.requisition_id from billing b join new_rows n on n.billing_id = b.id));
  return null;
end $$;
create trigger requisition_list_ins after insert on insurance referencing new table as new_rows for each statement execute function requisition_list_touch_insurance();
create trigger requisition_list_upd after update on insurance referencing new table as new_rows for each statement execute function requisition_list_touch_insurance();
