-- Laboratories
-- Turnaround targets with the working calendar of each laboratory, and what follows from them: when a requisition is due, and from when
-- on it will be late. Both are columns of the list of requisitions, kept by its triggers.

create table tat_target (
  id int generated always as identity primary key,
  lab_id int references lab,
  test_id int references test,
  panel_id int references panel,
  priority text not null default 'ROUTINE' check (priority in ('ROUTINE', 'STAT')),
  target_hours numeric(7,2) not null check (target_hours > 0),
  is_working_time boolean not null default false,
  version int not null default 1,
  deleted_at timestamptz,
  check (test_id is null or panel_id is null)
);
comment on table tat_target is 'How many hours may pass from the receipt of the specimen to the release, for all tests, a panel or a test.';
create unique index tat_target_key on tat_target (lab_id, test_id, panel_id, priority) nulls not distinct where deleted_at is null;
create index tat_target_deleted on tat_target (deleted_at) where deleted_at is not null;

create table lab_calendar (
  lab_id int primary key references lab,
  work_days int[] not null check (cardinality(work_days) > 0 and work_days <@ array[1, 2, 3, 4, 5, 6, 7]),  -- 1 is Monday
  opens time not null,
  closes time not null,
  holidays date[] not null default '{}',
  version int not null default 1,
  check (opens < closes)
);
comment on table lab_calendar is 'The working days and hours of a laboratory, and its holidays; without a row Monday to Friday, 8 to 17.';

create table stage_usual (
  status_code text primary key,
  hours numeric not null
);
comment on table stage_usual is 'How long requisitions usually stay in a status before the release: the median of the last 30 days.';
revoke insert, update, delete on stage_usual from lis_app;

-- The statuses before the release.
create function is_turning(status text) returns boolean language sql immutable parallel safe as $$
  select status in ('LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT')
$$;

-- The end of so many working hours, in days and hours of the laboratory's zone. Twenty years without an end have none.
create function add_working_hours(start timestamptz, hours numeric, lab int) returns timestamptz language plpgsql stable as $$
declare
  calendar lab_calendar;
  zone text := coalesce((select l.zone from lab l where l.id = lab), 'UTC');
  at timestamp := start at time zone zone;
  remaining interval := make_interval(secs => hours * 3600);
  opened timestamp;
  closed timestamp;
begin
  select * into calendar from lab_calendar c where c.lab_id = lab;
  if not found then
    calendar := row(lab, array[1, 2, 3, 4, 5], time '08:00', time '17:00', '{}'::date[], 1);
  end if;
  for day in 0..7300 loop
    closed := (at::date + day) + calendar.closes;
    opened := greatest(at, (at::date + day) + calendar.opens);
    continue when opened >= closed or extract(isodow from at::date + day)::int <> all(calendar.work_days)
      or (at::date + day) = any(calendar.holidays);
    if remaining <= closed - opened then return (opened + remaining) at time zone zone; end if;
    remaining := remaining - (closed - opened);
  end loop;
  return null;
end $$;

-- When a requisition is due: the latest of its tests, each by its most specific target. A STAT requisition goes by the STAT targets if
-- any of them applies to the test.
create function due_of(requisition bigint, lab int, received timestamptz) returns timestamptz language plpgsql stable as $$
declare
  is_stat boolean;
begin
  if received is null or not exists (select from tat_target where deleted_at is null) then return null; end if;
  is_stat := exists (
    select from requisition_flag rf join flag f on f.id = rf.flag_id where rf.requisition_id = requisition and f.code = 'STAT');
  return (
    select max(case when t.is_working_time then add_working_hours(received, t.target_hours, lab)
      else received + make_interval(secs => t.target_hours * 3600) end)
    from (
      select distinct on (ordered.test_id) target_hours, is_working_time
      from (
        select rt.test_id, rt.panel_id
        from requisition_test rt
        where rt.requisition_id = requisition and rt.deleted_at is null and not rt.is_retest
        union all
        select null, null
        where not exists (
          select from requisition_test rt where rt.requisition_id = requisition and rt.deleted_at is null and not rt.is_retest)) ordered
      join tat_target t on (t.test_id is null or t.test_id = ordered.test_id) and (t.panel_id is null or t.panel_id = ordered.panel_id)
        and (t.lab_id is null or t.lab_id = lab) and (t.priority = 'ROUTINE' or is_stat) and t.deleted_at is null
      order by ordered.test_id, t.priority = 'STAT' desc, t.test_id is not null desc, t.panel_id is not null desc, t.lab_id is not null desc) t);
end $$;

-- From when on a requisition will be late, as minus the seconds of Unix time: what is late first comes first in descending order, and it
-- is late when this is at least minus the present second. In the present status it needs the usual time since it entered it, or none if
-- that is over, and then the usual time of the stages that follow. What is not late and cannot become so has the smallest number.
create function late_order(status text, entered timestamptz, due timestamptz) returns bigint language sql stable as $$
  select case when due is null or not is_turning(status) then -9223372036854775807
    else -floor(extract(epoch from
      case when entered + make_interval(secs => (usual.present + usual.rest) * 3600) > due then least(entered, due)
        else due - make_interval(secs => usual.rest * 3600) end))::bigint end
  from (
    select coalesce(sum(u.hours) filter (where u.status_code = status), 0) as present,
      coalesce(sum(u.hours) filter (where st.sort_order > (select sort_order from requisition_status_type where code = status)), 0) as rest
    from stage_usual u
    join requisition_status_type st on st.code = u.status_code) usual
$$;

-- A change of targets, calendars or usual times waits for the writers of the list, and they for it: no row is computed by the old ones.
create function turnaround_lock_shared() returns void language sql as $$ select pg_advisory_xact_lock_shared(hashtext('turnaround')) $$;

alter table requisition_list
  add column due_at timestamptz,
  add column late_order bigint not null default -9223372036854775807;  -- function late_order

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
  late_order(r.status_code, greatest(r.status_at, s.received_at), due.at) as late_order
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
      due_at, late_order
    ) = (
      excluded.status_code, excluded.tab_code, excluded.client_id, excluded.collaborator_id, excluded.physician_id,
      excluded.copy_physician_id, excluded.lab_id, excluded.patient_id, excluded.event_id, excluded.sales_person_id,
      excluded.patient_key, excluded.physician_key, excluded.client_key, excluded.sales_rep_code, excluded.patient_dob,
      excluded.gender_code, excluded.collected_at, excluded.collected_zone, excluded.logged_at, excluded.received_at,
      excluded.reported_at, excluded.released_at, excluded.delivered_at, excluded.delivered_by, excluded.delivery_method_code,
      excluded.test_codes, excluded.bill_type_code, excluded.insurance_company, excluded.flag_ids, excluded.pass_reason_ids,
      excluded.open_issue_count, excluded.issue_department_ids, excluded.is_partial_report, excluded.is_partial_release,
      excluded.is_downloadable, excluded.is_send_notif, excluded.is_dem_qc_pass, excluded.is_batched,
      excluded.due_at, excluded.late_order
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

create or replace function requisition_list_touch_moved() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  moved bigint[];
begin
  moved := array(
    select n.id
    from new_rows n
    join old_rows o on o.id = n.id
    where n.status_code <> o.status_code and not (is_turning(n.status_code) and not is_turning(o.status_code))
      and (n.client_id, n.collaborator_id, n.physician_id, n.copy_physician_id, n.copy_to_client_id, n.lab_id, n.patient_id, n.event_id,
           n.collected_at, n.collected_zone, n.logged_at, n.bill_type_code, n.is_send_notif, n.is_dem_qc_pass, n.ext_order_id, n.deleted_at)
        is not distinct from
          (o.client_id, o.collaborator_id, o.physician_id, o.copy_physician_id, o.copy_to_client_id, o.lab_id, o.patient_id, o.event_id,
           o.collected_at, o.collected_zone, o.logged_at, o.bill_type_code, o.is_send_notif, o.is_dem_qc_pass, o.ext_order_id, o.deleted_at));
  if cardinality(moved) > 0 then
    perform turnaround_lock_shared();
    perform 1 from requisition_list where requisition_id = any(moved) order by requisition_id for no key update;
    update requisition_list l
    set status_code = n.status_code, tab_code = st.tab_code,
      late_order = late_order(n.status_code, greatest(n.status_at, l.received_at), l.due_at)
    from new_rows n
    join requisition_status_type st on st.code = n.status_code
    where l.requisition_id = n.id and n.id = any(moved);
  end if;
  ids := array(select id from new_rows where id <> all(moved));
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;

create or replace function requisition_list_touch_tests() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  resulted bigint[];
begin
  ids := array(
    select x.requisition_id
    from new_rows n
    join old_rows o on o.id = n.id
    cross join lateral (values (n.requisition_id), (o.requisition_id)) x(requisition_id)
    where (n.requisition_id, n.test_id, n.panel_id, n.deleted_at, n.is_retest)
      is distinct from (o.requisition_id, o.test_id, o.panel_id, o.deleted_at, o.is_retest)
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

-- Brings the due dates of what is not released up to date.
create function turnaround_refresh() returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('turnaround'));
  perform 1 from requisition_list where is_turning(status_code) order by requisition_id for no key update;
  update requisition_list l
  set due_at = x.due_at, late_order = late_order(l.status_code, x.entered, x.due_at)
  from (
    select o.requisition_id, due_of(o.requisition_id, o.lab_id, o.received_at) as due_at, greatest(r.status_at, o.received_at) as entered
    from requisition_list o
    join requisition r on r.id = o.requisition_id
    where is_turning(o.status_code) offset 0) x
  where l.requisition_id = x.requisition_id
    and (l.due_at, l.late_order) is distinct from (x.due_at, late_order(l.status_code, x.entered, x.due_at));
end $$;

create function turnaround_changed() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform turnaround_refresh();
  return null;
end $$;
create trigger turnaround_changed after insert or update on tat_target for each statement execute function turnaround_changed();
create trigger turnaround_changed after insert or update on lab_calendar for each statement execute function turnaround_changed();
create trigger turnaround_changed after update of zone on lab for each statement execute function turnaround_changed();

-- Measures the usual times. In Logged only the time with a specimen counts, because a requisition is due from its receipt. A difference
-- of less than a tenth changes nothing: it would only rewrite the list.
create function stage_usual_measure() returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  codes text[];
  medians numeric[];
begin
  with spent as (
    select e.from_code as code, extract(epoch from e.at - case when e.from_code = 'LOG' then l.received_at else (
      select max(b.at) from requisition_status_event b where b.requisition_id = e.requisition_id and b.to_code = e.from_code and b.at <= e.at) end) / 3600 as hours
    from requisition_status_event e
    join requisition_list l on l.requisition_id = e.requisition_id
    join requisition_status_type f on f.code = e.from_code
    join requisition_status_type t on t.code = e.to_code
    where e.at > now() - interval '30 days' and is_turning(e.from_code) and t.sort_order > f.sort_order),
  measured as (
    select code, round(percentile_cont(0.5) within group (order by greatest(hours, 0))::numeric, 2) as hours
    from spent where hours is not null group by 1)
  select array_agg(m.code), array_agg(m.hours) into codes, medians
  from measured m
  left join stage_usual u on u.status_code = m.code
  where u.hours is null or abs(u.hours - m.hours) > greatest(u.hours / 10, 0.1);
  if codes is null then return; end if;

  perform pg_advisory_xact_lock(hashtext('turnaround'));
  insert into stage_usual (status_code, hours) select * from unnest(codes, medians)
  on conflict (status_code) do update set hours = excluded.hours;
  perform turnaround_refresh();
end $$;
revoke execute on function turnaround_refresh(), stage_usual_measure() from public;

-- Orders of the list: nulls come last in both directions.
create index requisition_list_due on requisition_list (due_at, requisition_id);
create index requisition_list_due_last on requisition_list (due_at desc nulls last, requisition_id desc);
create index requisition_list_late on requisition_list (late_order, requisition_id);
create index requisition_list_open_tab_due on requisition_list (tab_code, due_at, requisition_id) where tab_code <> 'BILL';
create index requisition_list_open_tab_late on requisition_list (tab_code, late_order, requisition_id) where tab_code <> 'BILL';
