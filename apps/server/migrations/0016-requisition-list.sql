-- Requisition list
-- The wide list of requisitions is a table of its own, with counters beside it (0017-requisition-counts): computing and counting a
-- million rows for each page would be slower than everything else together. Triggers keep it in the transaction of the write; the
-- server cannot write it.
-- The functions run as the owner, so that row-level security of the writer cannot hide rows from them: a collaborator who corrects a
-- patient's name must also refresh that patient's requisitions elsewhere.

-- Names are stored as sort keys, so that every order is an index. Fillfactor: room for changes that move no indexed column (HOT).
create table requisition_list (
  requisition_id bigint primary key,
  status_code text not null,
  tab_code text not null,
  client_id int not null,
  collaborator_id int not null,
  physician_id int not null,
  copy_physician_id int,
  lab_id int not null,
  patient_id bigint not null,
  event_id int not null,
  sales_person_id int,
  patient_key text collate "C" not null,
  physician_key text collate "C" not null,
  client_key text collate "C" not null,
  sales_rep_code text collate "C" not null,
  patient_dob date not null,
  gender_code text not null,
  collected_at timestamptz not null,
  collected_zone text not null,
  logged_at timestamptz not null,
  received_at timestamptz,
  reported_at timestamptz,
  released_at timestamptz,
  delivered_at timestamptz,
  delivered_by int,
  delivery_method_code text,
  test_codes text collate "C" not null,
  bill_type_code text,
  insurance_company text,
  flag_ids int[] not null,
  pass_reason_ids int[] not null,
  open_issue_count int not null,
  issue_department_ids int[] not null,
  is_partial_report boolean not null,
  is_partial_release boolean not null,
  is_downloadable boolean not null,
  is_send_notif boolean not null,
  is_dem_qc_pass boolean not null,
  is_batched boolean not null default false  -- in a billing batch, which is what billing users see
) with (fillfactor = 80);
comment on table requisition_list is 'One row per requisition with all that the lists show, sort, filter and scope by.';
-- The policies of the requisition itself, on the columns of the list.
alter table requisition_list enable row level security;
create policy all_rows on requisition_list to lis_all using (true) with check (true);
create policy of_client on requisition_list to lis_client
  using (case when client_id = (select current_setting('lis.scope')::int) then true else false end) with check (true);
create policy of_collaborator on requisition_list to lis_collaborator
  using (case when collaborator_id = (select current_setting('lis.scope')::int) then true else false end) with check (true);
create policy of_physician on requisition_list to lis_physician
  using (case when (select current_setting('lis.scope')::int) in (physician_id, copy_physician_id) then true else false end)
  with check (true);
create policy of_sales on requisition_list to lis_sales
  using (case when client_id in (select unnest(string_to_array(current_setting('lis.scope'), ',')::int[])) then true else false end)
  with check (true);
create policy of_billing on requisition_list to lis_billing using (is_batched) with check (true);
revoke insert, update, delete on requisition_list from lis_app;

-- Indexes. Of two that cost the same, the one that the planner takes may depend on the order in which they were created; what was
-- measured (docs/performance.md) was measured in this order.
--
-- Orders of the lists, over all requisitions and of one scope; open work (all but BILL) is a few thousand rows among a million.
create index requisition_list_tab_id on requisition_list (tab_code, requisition_id);
create index requisition_list_status_id on requisition_list (status_code, requisition_id);
create index requisition_list_patient on requisition_list (patient_key, requisition_id);
create index requisition_list_open_tab_patient on requisition_list (tab_code, patient_key, requisition_id) where tab_code <> 'BILL';
create index requisition_list_sales_rep on requisition_list (sales_rep_code, requisition_id);
create index requisition_list_test_codes on requisition_list (test_codes, requisition_id);
create index requisition_list_physician_name on requisition_list (physician_key, requisition_id);
create index requisition_list_client_name on requisition_list (client_key, requisition_id);
create index requisition_list_dob on requisition_list (patient_dob, requisition_id);
create index requisition_list_client_collected on requisition_list (client_id, collected_at, requisition_id);
create index requisition_list_client_patient on requisition_list (client_id, patient_key, requisition_id);
create index requisition_list_client_physician on requisition_list (client_id, physician_key, requisition_id);
create index requisition_list_open_client_tab on requisition_list (client_id, tab_code, requisition_id) where tab_code <> 'BILL';
create index requisition_list_collaborator on requisition_list (collaborator_id, tab_code, requisition_id);
create index requisition_list_copy_physician on requisition_list (copy_physician_id, requisition_id) where copy_physician_id is not null;
-- With the tab or the zone in the index, how many match is told by the index alone.
create index requisition_list_event on requisition_list (event_id, requisition_id) include (tab_code);
create index requisition_list_bill_type on requisition_list (bill_type_code, requisition_id) include (tab_code);
create index requisition_list_physician on requisition_list (physician_id, requisition_id) include (tab_code);
create index requisition_list_collected on requisition_list (collected_at, requisition_id) include (collected_zone);
create index requisition_list_tab_collected on requisition_list (tab_code, collected_at, requisition_id) include (collected_zone);
-- Most rows have no flag, no pass code and no open issue: these hold only those that do.
create index requisition_list_flags on requisition_list using gin (flag_ids) where flag_ids <> '{}';
create index requisition_list_pass_reasons on requisition_list using gin (pass_reason_ids) where pass_reason_ids <> '{}';
create index requisition_list_issue_departments on requisition_list using gin (issue_department_ids) where issue_department_ids <> '{}';
create index requisition_list_open_issues on requisition_list (requisition_id) where open_issue_count > 0;
-- Periods.
create index requisition_list_received on requisition_list (received_at, requisition_id) include (tab_code, lab_id);
create index requisition_list_logged on requisition_list (logged_at, requisition_id) include (tab_code, lab_id);
create index requisition_list_reported on requisition_list (reported_at, requisition_id) include (tab_code, lab_id);
create index requisition_list_released on requisition_list (released_at, requisition_id) include (tab_code, lab_id);
create index requisition_list_delivered on requisition_list (delivered_at, requisition_id) include (tab_code, lab_id);
-- '&&' is not leakproof, so behind row-level security the index over the flags is of no use; these lead to the few rows of a scope
-- that have any.
create index requisition_list_client_flags on requisition_list (client_id, requisition_id) include (flag_ids) where flag_ids <> '{}';
create index requisition_list_physician_flags on requisition_list (physician_id, requisition_id) include (flag_ids) where flag_ids <> '{}';
create index requisition_list_collaborator_flags on requisition_list (collaborator_id, requisition_id) include (flag_ids) where flag_ids <> '{}';
-- Every order of open work. In an order that only an index over all requisitions holds, the planner walks through years of billed ones
-- (measured: 2 s).
create index requisition_list_open_tab_dob on requisition_list (tab_code, patient_dob, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_physician on requisition_list (tab_code, physician_key, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_client on requisition_list (tab_code, client_key, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_sales_rep on requisition_list (tab_code, sales_rep_code, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_test_codes on requisition_list (tab_code, test_codes, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_bill_type on requisition_list (tab_code, bill_type_code, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_received on requisition_list (tab_code, received_at, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_logged on requisition_list (tab_code, logged_at, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_delivered on requisition_list (tab_code, delivered_at, requisition_id) where tab_code <> 'BILL';
-- Of billing users, who see what is in a batch.
create index requisition_list_batched_flags on requisition_list (tab_code, requisition_id) include (flag_ids) where is_batched and flag_ids <> '{}';
-- The billed requisitions of a client, by date and by number. Without the tab in the second one the planner sorts all billed ones of a
-- client, by the first one.
create index requisition_list_client_billed on requisition_list (client_id, collected_at, requisition_id) where tab_code = 'BILL';
create index requisition_list_client on requisition_list (client_id, requisition_id) include (tab_code);

-- Apart from the list, because a status move must not rewrite trigrams.
create table requisition_search (
  requisition_id bigint primary key,
  client_id int not null,
  collaborator_id int not null,
  search_text text collate "C" not null
);
comment on table requisition_search is 'The text that a requisition is searched by: ''last, first|external order id''.';
-- One GIN index serves every scope: a multicolumn GIN may be asked by any of its columns.
create index requisition_search_gin on requisition_search using gin (client_id, search_text gin_trgm_ops);
revoke insert, update, delete on requisition_search from lis_app;
-- With the usual 100 samples, 10,000 rows or 100 were expected of a name that one requisition in 300 has.
alter table requisition_search alter column search_text set statistics 500;

-- The one definition of a row of the list. `npm run lists:verify` compares it with the table (hence the collations: both sides must
-- name the same). Its columns are in the order of the table.
create view requisition_list_source as
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
  exists (select from billing_batch_item i where i.requisition_id = r.id and i.left_out is null) as is_batched
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
    min(coalesce(first_release_at, release_at)) as released_at
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
  select array_agg(flag_id order by flag_id) as ids
  from requisition_flag
  where requisition_id = r.id) fl on true
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
where r.deleted_at is null;
comment on view requisition_list_source is 'The rows of requisition_list as they are computed from their sources.';

-- Brings the rows of these requisitions up to date. It locks first and computes afterwards: two people who change different parts of
-- one requisition at the same time would otherwise overwrite each other's half of the row.
-- Generic plan: planning the joins of the view costs more than running them for one requisition (measured).
create function requisition_list_refresh(ids bigint[]) returns void language plpgsql security definer
  set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  perform 1 from requisition_list where requisition_id = any(ids) order by requisition_id for no key update;

  insert into requisition_list as t
  select s.* from requisition_list_source s where s.requisition_id = any(ids) order by s.requisition_id
  on conflict (requisition_id) do update set
    (
      status_code, tab_code, client_id, collaborator_id, physician_id, copy_physician_id, lab_id, patient_id, event_id,
      sales_person_id, patient_key, physician_key, client_key, sales_rep_code, patient_dob, gender_code, collected_at,
      collected_zone, logged_at, received_at, reported_at, released_at, delivered_at, delivered_by, delivery_method_code,
      test_codes, bill_type_code, insurance_company, flag_ids, pass_reason_ids, open_issue_count, issue_department_ids,
      is_partial_report, is_partial_release, is_downloadable, is_send_notif, is_dem_qc_pass, is_batched
    ) = (
      excluded.status_code, excluded.tab_code, excluded.client_id, excluded.collaborator_id, excluded.physician_id,
      excluded.copy_physician_id, excluded.lab_id, excluded.patient_id, excluded.event_id, excluded.sales_person_id,
      excluded.patient_key, excluded.physician_key, excluded.client_key, excluded.sales_rep_code, excluded.patient_dob,
      excluded.gender_code, excluded.collected_at, excluded.collected_zone, excluded.logged_at, excluded.received_at,
      excluded.reported_at, excluded.released_at, excluded.delivered_at, excluded.delivered_by, excluded.delivery_method_code,
      excluded.test_codes, excluded.bill_type_code, excluded.insurance_company, excluded.flag_ids, excluded.pass_reason_ids,
      excluded.open_issue_count, excluded.issue_department_ids, excluded.is_partial_report, excluded.is_partial_release,
      excluded.is_downloadable, excluded.is_send_notif, excluded.is_dem_qc_pass, excluded.is_batched
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

-- Triggers that keep the list
--
-- One per statement, for all its rows: the list can never disagree with its sources.

-- A new requisition.
create function requisition_list_touch_self() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
begin
  ids := array(select id from new_rows);
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_ins after insert on requisition referencing new table as new_rows
  for each statement execute function requisition_list_touch_self();

-- A changed requisition. A move changes the status and nothing else the list shows, so everything but the status is computed only
-- when it can have changed.
create function requisition_list_touch_moved() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  moved bigint[];
begin
  moved := array(
    select n.id
    from new_rows n
    join old_rows o on o.id = n.id
    where n.status_code <> o.status_code
      and (n.client_id, n.collaborator_id, n.physician_id, n.copy_physician_id, n.copy_to_client_id, n.lab_id, n.patient_id, n.event_id,
           n.collected_at, n.collected_zone, n.logged_at, n.bill_type_code, n.is_send_notif, n.is_dem_qc_pass, n.ext_order_id, n.deleted_at)
        is not distinct from
          (o.client_id, o.collaborator_id, o.physician_id, o.copy_physician_id, o.copy_to_client_id, o.lab_id, o.patient_id, o.event_id,
           o.collected_at, o.collected_zone, o.logged_at, o.bill_type_code, o.is_send_notif, o.is_dem_qc_pass, o.ext_order_id, o.deleted_at));
  if cardinality(moved) > 0 then
    perform 1 from requisition_list where requisition_id = any(moved) order by requisition_id for no key update;
    update requisition_list l
    set status_code = n.status_code, tab_code = st.tab_code
    from new_rows n
    join requisition_status_type st on st.code = n.status_code
    where l.requisition_id = n.id and n.id = any(moved);
  end if;
  ids := array(select id from new_rows where id <> all(moved));
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_upd after update on requisition referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_moved();

-- Rows that belong to a requisition.
create function requisition_list_touch() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
begin
  if tg_op = 'INSERT' then ids := array(select distinct requisition_id from new_rows);
  elsif tg_op = 'DELETE' then ids := array(select distinct requisition_id from old_rows);
  else ids := array(select requisition_id from new_rows union select requisition_id from old_rows);
  end if;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_ins after insert on specimen referencing new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_upd after update on specimen referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_del after delete on specimen referencing old table as old_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_ins after insert on report referencing new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_upd after update on report referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_del after delete on report referencing old table as old_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_ins after insert on report_delivery referencing new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_upd after update on report_delivery referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_del after delete on report_delivery referencing old table as old_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_ins after insert on issue referencing new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_upd after update on issue referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_del after delete on issue referencing old table as old_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_ins after insert on requisition_flag referencing new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_upd after update on requisition_flag referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_del after delete on requisition_flag referencing old table as old_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_ins after insert on requisition_reason referencing new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_upd after update on requisition_reason referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_del after delete on requisition_reason referencing old table as old_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_ins after insert on requisition_test referencing new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_del after delete on requisition_test referencing old table as old_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_ins after insert on billing_batch_item referencing new table as new_rows
  for each statement execute function requisition_list_touch();
create trigger requisition_list_del after delete on billing_batch_item referencing old table as old_rows
  for each statement execute function requisition_list_touch();

-- A changed test. The list shows the codes of the tests, and whether some have no result although there is a report. So a result
-- entered before the first report, which is nearly every one, changes nothing. Its list row is locked all the same before reports are
-- looked for: who adds the first one at the same moment waits for us, or we for them.
create function requisition_list_touch_tests() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  resulted bigint[];
begin
  ids := array(
    select x.requisition_id
    from new_rows n
    join old_rows o on o.id = n.id
    cross join lateral (values (n.requisition_id), (o.requisition_id)) x(requisition_id)
    where (n.requisition_id, n.test_id, n.deleted_at, n.is_retest) is distinct from (o.requisition_id, o.test_id, o.deleted_at, o.is_retest)
    group by 1);
  resulted := array(
    select n.requisition_id
    from new_rows n
    join old_rows o on o.id = n.id
    where (n.result is null) <> (o.result is null)
    group by 1);
  if cardinality(resulted) > 0 then
    perform 1 from requisition_list where requisition_id = any(resulted) order by requisition_id for no key update;
    ids := ids || array(select distinct requisition_id from report where requisition_id = any(resulted) and deleted_at is null);
  end if;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_upd after update on requisition_test referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_tests();

-- Items of a billing batch. Sending a batch changes all its items; only those that are taken out change what the list says.
create function requisition_list_touch_left_out() returns trigger language plpgsql as $$
declare
  ids bigint[];
begin
  ids := array(
    select distinct n.requisition_id
    from new_rows n
    join old_rows o using (batch_id, requisition_id)
    where n.left_out is distinct from o.left_out);
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_upd after update on billing_batch_item referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_left_out();

-- Insurances.
create function requisition_list_touch_insurance() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform requisition_list_refresh(array(select distinct b.requisition_id from billing b join new_rows n on n.billing_id = b.id));
  return null;
end $$;
create trigger requisition_list_ins after insert on insurance referencing new table as new_rows
  for each statement execute function requisition_list_touch_insurance();
create trigger requisition_list_upd after update on insurance referencing new table as new_rows
  for each statement execute function requisition_list_touch_insurance();

-- Names and sales representatives are shown in every requisition of the record, which is refreshed only when a shown part changes.
create function requisition_list_touch_owner() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
begin
  case tg_table_name
    when 'patient' then ids := array(
      select r.id
      from requisition r
      join new_rows n on n.id = r.patient_id
      join old_rows o on o.id = n.id
      where (n.name_key, n.dob, n.gender_code) is distinct from (o.name_key, o.dob, o.gender_code));
    when 'client' then ids := array(
      select l.requisition_id
      from requisition_list l
      join new_rows n on n.id = l.client_id
      join old_rows o on o.id = n.id
      where n.name is distinct from o.name);
    when 'physician' then ids := array(
      select l.requisition_id
      from requisition_list l
      join new_rows n on n.id = l.physician_id
      join old_rows o on o.id = n.id
      where (n.first_name, n.last_name) is distinct from (o.first_name, o.last_name));
    when 'sales_person' then ids := array(
      select l.requisition_id
      from requisition_list l
      join client_sales cs on cs.client_id = l.client_id and cs.is_primary
      join new_rows n on n.id = cs.sales_person_id
      join old_rows o on o.id = n.id
      where n.rep_code is distinct from o.rep_code);
  end case;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_upd after update on patient referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_owner();
create trigger requisition_list_upd after update on client referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_owner();
create trigger requisition_list_upd after update on physician referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_owner();
create trigger requisition_list_upd after update on sales_person referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_owner();

-- The sales people of a client.
create function requisition_list_touch_client_sales() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
begin
  if tg_op = 'DELETE' then
    ids := array(select l.requisition_id from requisition_list l where l.client_id in (select client_id from old_rows where is_primary));
  else
    ids := array(select l.requisition_id from requisition_list l where l.client_id in (select client_id from new_rows));
  end if;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
create trigger requisition_list_ins after insert on client_sales referencing new table as new_rows
  for each statement execute function requisition_list_touch_client_sales();
create trigger requisition_list_upd after update on client_sales referencing new table as new_rows
  for each statement execute function requisition_list_touch_client_sales();
create trigger requisition_list_del after delete on client_sales referencing old table as old_rows
  for each statement execute function requisition_list_touch_client_sales();
