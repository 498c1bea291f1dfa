-- Quality control

create table reflex_rule (
  id int generated always as identity primary key,
  test_id int not null references test,
  op text not null check (op in ('>', '>=', '<', '<=', '=', 'interpretation', 'text')),
  value text not null,
  max_specimen_hours int check (max_specimen_hours > 0),
  is_active boolean not null default false,
  rule_version int not null default 1,
  version int not null default 1,
  deleted_at timestamptz
);
comment on table reflex_rule is 'Which result of a test adds which other tests.';
create index on reflex_rule (test_id) where deleted_at is null;

create table reflex_rule_test (
  rule_id int not null references reflex_rule,
  test_id int references test,
  panel_id int references panel,
  check (num_nonnulls(test_id, panel_id) = 1),
  unique nulls not distinct (rule_id, test_id, panel_id)
);
comment on table reflex_rule_test is 'A test or panel that a reflex rule adds.';

create table client_reflex_rule (
  client_id int not null references client,
  rule_id int not null references reflex_rule,
  primary key (client_id, rule_id)
);
comment on table client_reflex_rule is 'A reflex rule that a client has agreed to.';
create index on client_reflex_rule (rule_id);
alter table client_reflex_rule enable row level security;
create policy client_reflex_rule_scope on client_reflex_rule to lis_app using (is_client_row_seen(client_id)) with check (true);
create policy all_rows on client_reflex_rule to lis_all using (true) with check (true);

create table reflex_event (
  requisition_id bigint not null references requisition,
  rule_id int not null references reflex_rule,
  rule_version int not null,
  requisition_test_id bigint not null references requisition_test,  -- whose result met the condition
  value text not null,
  problem text,  -- why nothing was added
  created_at timestamptz not null default now(),
  primary key (requisition_id, rule_id)
);
comment on table reflex_event is 'A reflex rule that was applied to a requisition; it is not applied again.';
create index on reflex_event (rule_id);
create index on reflex_event (requisition_test_id);
alter table reflex_event enable row level security;
create policy reflex_event_scope on reflex_event to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = reflex_event.requisition_id)) with check (true);
create policy all_rows on reflex_event to lis_all using (true) with check (true);

alter table requisition_test add column reflex_rule_id int references reflex_rule;
