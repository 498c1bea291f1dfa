-- Tests and results

-- Each row is written again when its result comes. With room on its page that leaves the indexes alone (HOT).
create table requisition_test (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  test_id int not null references test,
  panel_id int references panel,
  process_date timestamptz,
  result text,
  result_num numeric,
  reportable_result text,
  interpretation text,
  rules_id int,  -- of result_rules; no foreign key, its check would lock the same few rows for many writers at once
  reagent text,
  comment text,
  is_retest boolean not null default false,
  retest_of_id bigint references requisition_test,
  is_modifiable boolean not null default false,
  resulted_at timestamptz,
  resulted_by int references app_user,
  created_at timestamptz not null default now(),
  version int not null default 1,
  deleted_at timestamptz
) with (fillfactor = 75);
comment on table requisition_test is 'A test of a requisition and its result.';
-- A retest is a row beside the first one.
create unique index requisition_test_key on requisition_test (requisition_id, test_id) where deleted_at is null and not is_retest;
create index on requisition_test (requisition_id);
-- Rows grow in the order of time, so a small BRIN index finds a period.
create index requisition_test_process_date on requisition_test using brin (process_date);
-- The filter by test in the lists.
create index requisition_test_by_test on requisition_test (test_id, requisition_id) where deleted_at is null and not is_retest;
alter table requisition_test enable row level security;
create policy requisition_test_scope on requisition_test to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = requisition_test.requisition_id))
  with check (true);
create policy all_rows on requisition_test to lis_all using (true) with check (true);

create table requisition_test_reason (
  requisition_test_id bigint not null references requisition_test,
  reason_id int not null references reason,
  primary key (requisition_test_id, reason_id)
);
comment on table requisition_test_reason is 'A pass or fail code of one test of a requisition.';
alter table requisition_test_reason enable row level security;
create policy requisition_test_reason_scope on requisition_test_reason to lis_app
  using ((select sees_all_rows()) or (select true from requisition_test p where p.id = requisition_test_reason.requisition_test_id))
  with check (true);
create policy all_rows on requisition_test_reason to lis_all using (true) with check (true);

create table requisition_test_revision (
  id bigint generated always as identity primary key,
  requisition_test_id bigint not null references requisition_test,
  result text,
  process_date timestamptz,  -- the process date that went with it
  reportable_result text,
  interpretation text,
  replaced_at timestamptz not null default now(),
  replaced_by int references app_user,
  reason text
);
comment on table requisition_test_revision is 'A result that was replaced by a change or retest.';
create index on requisition_test_revision (requisition_test_id);
alter table requisition_test_revision enable row level security;
create policy requisition_test_revision_scope on requisition_test_revision to lis_app
  using ((select sees_all_rows()) or (select true from requisition_test p where p.id = requisition_test_revision.requisition_test_id))
  with check (true);
create policy all_rows on requisition_test_revision to lis_all using (true) with check (true);
