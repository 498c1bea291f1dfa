-- Counters for billing users and for tests
-- Two totals were still counted row by row on every page: all that is in a billing batch (8 s of 858,650 rows at 1,000,000 requisitions) and all that have
-- a test (1 s and more of 440,000).
-- What is in a batch is one more property of a counted row. Coming into a batch takes the row off and puts it back with the property, so the other
-- counters stay as they are.
alter table requisition_count drop constraint requisition_count_scope_check, add constraint requisition_count_scope_check check (scope in ('CLNT','COLA','PHYS','BILL'));
alter table requisition_count_delta add column is_batched boolean not null default false;
-- Requisitions by the tests they have, as the list shows them: there are far fewer combinations than requisitions, and how many have any of some tests
-- is the sum over the combinations that hold one.
create table requisition_tests_count (test_codes text collate "C" primary key, n bigint not null) with (fillfactor = 50);
create table requisition_tests_count_delta (test_codes text collate "C" not null, n int not null);
revoke insert, update, delete on requisition_tests_count, requisition_tests_count_delta from lis_app;

create or replace function requisition_count_ins() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
  insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, n)
  select status_code, client_id, collaborator_id, physician_id, copy_physician_id, coalesce((select true from billing_batch_item i where i.requisition_id = r.requisition_id limit 1), false), count(*)
  from new_rows r group by 1, 2, 3, 4, 5, 6;
  insert into requisition_tests_count_delta select test_codes, count(*) from new_rows group by 1;
  return null; end $$;
create or replace function requisition_count_del() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
  insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, n)
  select status_code, client_id, collaborator_id, physician_id, copy_physician_id, coalesce((select true from billing_batch_item i where i.requisition_id = r.requisition_id limit 1), false), -count(*)
  from old_rows r group by 1, 2, 3, 4, 5, 6;
  insert into requisition_tests_count_delta select test_codes, -count(*) from old_rows group by 1;
  return null; end $$;
-- Most updates change none of this, so what changes is gathered first. Plans are kept here, and made for the few rows of the first call: so nothing is joined
-- row by row, and whether a row is in a batch is one look by key each.
create or replace function requisition_count_upd() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
  insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, n)
  select status_code, client_id, collaborator_id, physician_id, copy_physician_id, coalesce((select true from billing_batch_item i where i.requisition_id = r.requisition_id limit 1), false), sum(n) from (
    select requisition_id, status_code, client_id, collaborator_id, physician_id, copy_physician_id, sum(n) as n from (
      select requisition_id, status_code, client_id, collaborator_id, physician_id, copy_physician_id, 1 as n from new_rows union all
      select requisition_id, status_code, client_id, collaborator_id, physician_id, copy_physician_id, -1 from old_rows) x
    group by 1, 2, 3, 4, 5, 6 having sum(n) <> 0) r
  group by 1, 2, 3, 4, 5, 6 having sum(n) <> 0;
  insert into requisition_tests_count_delta select test_codes, sum(n) from (
    select test_codes, 1 as n from new_rows union all select test_codes, -1 from old_rows) x group by 1 having sum(n) <> 0;
  return null; end $$;

-- Into the first batch, or out of the last. The rows are locked before anything is looked up: who changes their status at the same moment waits, or is waited for.
create function requisition_count_batched() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare is_in boolean := tg_op = 'INSERT';
begin
  perform 1 from requisition_list where requisition_id = any(array(select requisition_id from changed_rows)) order by requisition_id for no key update;
  insert into requisition_count_delta (status_code, client_id, collaborator_id, physician_id, copy_physician_id, is_batched, n)
  select l.status_code, l.client_id, l.collaborator_id, l.physician_id, l.copy_physician_id, v.is_batched, sum(v.n)
  from (select requisition_id, count(*) as n from changed_rows group by 1) c join requisition_list l on l.requisition_id = c.requisition_id
  cross join (values (is_in, 1), (not is_in, -1)) v(is_batched, n)
  where (select count(*) from billing_batch_item i where i.requisition_id = c.requisition_id) = case when is_in then c.n else 0 end
  group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;
create trigger requisition_count_ins after insert on billing_batch_item referencing new table as changed_rows for each statement execute function requisition_count_batched();
create trigger requisition_count_del after delete on billing_batch_item referencing old table as changed_rows for each statement execute function requisition_count_batched();

create or replace view requisition_count_delta_by_scope as
  select 'CLNT' as scope, client_id as scope_id, status_code, n from requisition_count_delta
  union all select 'COLA', collaborator_id, status_code, n from requisition_count_delta
  union all select 'PHYS', physician_id, status_code, n from requisition_count_delta
  union all select 'PHYS', copy_physician_id, status_code, n from requisition_count_delta where copy_physician_id is not null and copy_physician_id <> physician_id
  union all select 'BILL', 0, status_code, n from requisition_count_delta where is_batched;

create or replace function requisition_count_fold() returns bigint language plpgsql security definer set search_path = public, pg_temp as $$
declare folded bigint;
begin
  if not pg_try_advisory_xact_lock(hashtext('requisition_count_fold')) then return 0; end if;
  with gone as (delete from requisition_tests_count_delta returning *)
  insert into requisition_tests_count as t (test_codes, n) select test_codes, sum(n) from gone group by 1 having sum(n) <> 0 order by 1
    on conflict (test_codes) do update set n = t.n + excluded.n;
  with gone as (delete from requisition_count_delta returning *),
  moved as (insert into requisition_count as t (scope, scope_id, status_code, n)
    select scope, scope_id, status_code, sum(n) from (
      select 'CLNT' as scope, client_id as scope_id, status_code, n from gone
      union all select 'COLA', collaborator_id, status_code, n from gone
      union all select 'PHYS', physician_id, status_code, n from gone
      union all select 'PHYS', copy_physician_id, status_code, n from gone where copy_physician_id is not null and copy_physician_id <> physician_id
      union all select 'BILL', 0, status_code, n from gone where is_batched) x
    group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
    on conflict (scope, scope_id, status_code) do update set n = t.n + excluded.n)
  select count(*) into folded from gone;
  return folded;
end $$;

insert into requisition_count (scope, scope_id, status_code, n)
  select 'BILL', 0, status_code, count(*) from requisition_list l where exists (select from billing_batch_item i where i.requisition_id = l.requisition_id) group by 3;
insert into requisition_tests_count select test_codes, count(*) from requisition_list group by 1;
-- A test that was only repeated stands beside the one that counts; the filter by test finds what the list shows, and reads it from here.
drop index requisition_test_test_id_requisition_id_idx;
create index requisition_test_by_test on requisition_test (test_id, requisition_id) where deleted_at is null and not is_retest;

-- As 'exists' the planner gathered all that is in any batch before it looked at the first row: 0.8 s for each page of a billing user. With a value it is one
-- look by key for each row.
alter policy requisition_scope on requisition using (in_scope(client_id, collaborator_id, physician_id, copy_physician_id)
  or (current_setting('lis.role', true) = 'BILL' and coalesce((select true from billing_batch_item i where i.requisition_id = requisition.id limit 1), false)));
alter policy requisition_list_scope on requisition_list using (in_scope(client_id, collaborator_id, physician_id, copy_physician_id)
  or (current_setting('lis.role', true) = 'BILL' and coalesce((select true from billing_batch_item i where i.requisition_id = requisition_list.requisition_id limit 1), false)));
