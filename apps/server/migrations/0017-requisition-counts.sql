-- Requisition counts
-- Exact numbers per scope and status. Writers only ever insert deltas, so no two of them wait for each other; one job folds deltas into
-- the counters, and a reader adds both in one statement, so it sees each change exactly once.

create table requisition_count (
  scope text not null check (scope in ('CLNT', 'COLA', 'PHYS', 'BILL')),
  scope_id int not null,
  status_code text not null,
  n bigint not null,
  primary key (scope, scope_id, status_code)
) with (fillfactor = 50);
comment on table requisition_count is 'How many requisitions a client, collaborator, physician or billing has in each status.';
revoke insert, update, delete on requisition_count from lis_app;

create table requisition_count_delta (
  status_code text not null,
  client_id int not null,
  collaborator_id int not null,
  physician_id int not null,
  copy_physician_id int,
  is_batched boolean not null default false,
  n int not null
);
comment on table requisition_count_delta is 'A change of requisition_count that is not folded in yet.';
revoke insert, update, delete on requisition_count_delta from lis_app;

-- There are far fewer combinations than requisitions; how many have any of some tests is the sum over the combinations with one.
create table requisition_tests_count (
  test_codes text collate "C" primary key,
  n bigint not null
) with (fillfactor = 50);
comment on table requisition_tests_count is 'How many requisitions have each combination of tests.';
revoke insert, update, delete on requisition_tests_count from lis_app;

create table requisition_tests_count_delta (
  test_codes text collate "C" not null,
  n int not null
);
comment on table requisition_tests_count_delta is 'A change of requisition_tests_count that is not folded in yet.';
revoke insert, update, delete on requisition_tests_count_delta from lis_app;

-- The deltas by the scopes they count for.
create view requisition_count_delta_by_scope as
select 'CLNT' as scope, client_id as scope_id, status_code, n from requisition_count_delta
union all
select 'COLA', collaborator_id, status_code, n from requisition_count_delta
union all
select 'PHYS', physician_id, status_code, n from requisition_count_delta
union all
select 'PHYS', copy_physician_id, status_code, n from requisition_count_delta
where copy_physician_id is not null and copy_physician_id <> physician_id
union all
select 'BILL', 0, status_code, n from requisition_count_delta where is_batched;
comment on view requisition_count_delta_by_scope is 'The rows of requisition_count_delta by the scopes they count for.';

-- Counts new, removed and changed rows of the list.
create function requisition_count_ins() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, n)
  select status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, count(*)
  from new_rows
  group by 1, 2, 3, 4, 5, 6;
  insert into requisition_tests_count_delta select test_codes, count(*) from new_rows group by 1;
  return null;
end $$;
create function requisition_count_del() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, n)
  select status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, -count(*)
  from old_rows
  group by 1, 2, 3, 4, 5, 6;
  insert into requisition_tests_count_delta select test_codes, -count(*) from old_rows group by 1;
  return null;
end $$;
create function requisition_count_upd() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, n)
  select status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, sum(n)
  from (
    select status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, 1 as n from new_rows
    union all
    select status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, -1 from old_rows) x
  group by 1, 2, 3, 4, 5, 6
  having sum(n) <> 0;
  insert into requisition_tests_count_delta
  select test_codes, sum(n)
  from (
    select test_codes, 1 as n from new_rows
    union all
    select test_codes, -1 from old_rows) x
  group by 1
  having sum(n) <> 0;
  return null;
end $$;
create trigger requisition_count_ins after insert on requisition_list referencing new table as new_rows
  for each statement execute function requisition_count_ins();
create trigger requisition_count_del after delete on requisition_list referencing old table as old_rows
  for each statement execute function requisition_count_del();
create trigger requisition_count_upd after update on requisition_list referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_count_upd();

-- Folds the deltas into the counters; run by one job at a time. Returns how many deltas there were.
create function requisition_count_fold() returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare
  folded bigint;
begin
  if not pg_try_advisory_xact_lock(hashtext('requisition_count_fold')) then return 0; end if;

  with gone as (delete from requisition_tests_count_delta returning *)
  insert into requisition_tests_count as t (test_codes, n)
  select test_codes, sum(n) from gone group by 1 having sum(n) <> 0 order by 1
  on conflict (test_codes) do update set n = t.n + excluded.n;

  with gone as (delete from requisition_count_delta returning *),
  moved as (
    insert into requisition_count as t (scope, scope_id, status_code, n)
    select scope, scope_id, status_code, sum(n)
    from (
      select 'CLNT' as scope, client_id as scope_id, status_code, n from gone
      union all
      select 'COLA', collaborator_id, status_code, n from gone
      union all
      select 'PHYS', physician_id, status_code, n from gone
      union all
      select 'PHYS', copy_physician_id, status_code, n from gone where copy_physician_id is not null and copy_physician_id <> physician_id
      union all
      select 'BILL', 0, status_code, n from gone where is_batched) x
    group by 1, 2, 3
    having sum(n) <> 0
    order by 1, 2, 3
    on conflict (scope, scope_id, status_code) do update set n = t.n + excluded.n)
  select count(*) into folded from gone;
  return folded;
end $$;
