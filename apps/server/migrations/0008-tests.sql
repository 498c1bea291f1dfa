-- Tests and results
create table requisition_test (
  id bigint generated always as identity primary key, requisition_id bigint not null references requisition, test_id int not null references test,
  panel_id int references panel, process_date timestamptz, result text, result_num numeric, reportable_result text, interpretation text, reagent text, comment text,
  is_retest boolean not null default false, retest_of_id bigint references requisition_test, is_modifiable boolean not null default false,
  resulted_at timestamptz, resulted_by int references app_user, created_at timestamptz not null default now(), version int not null default 1, deleted_at timestamptz
);
create unique index requisition_test_key on requisition_test (requisition_id, test_id) where deleted_at is null and not is_retest;
create index on requisition_test (requisition_id);
create index on requisition_test (test_id, requisition_id) where deleted_at is null;   -- 'test code' filter of the lists
create table requisition_test_reason (
  requisition_test_id bigint not null references requisition_test, reason_id int not null references reason, primary key (requisition_test_id, reason_id)
);
create table requisition_test_revision (    -- what a modify or retest replaced; results are never overwritten without a trace
  id bigint generated always as identity primary key, requisition_test_id bigint not null references requisition_test, result text, reportable_result text,
  interpretation text, replaced_at timestamptz not null default now(), replaced_by int references app_user, reason text
);
create index on requisition_test_revision (requisition_test_id);
