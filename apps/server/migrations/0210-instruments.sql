-- Quality control

create table instrument_link (
  instrument_id int primary key references instrument,
  state text not null default 'CLOSED' check (state in ('LISTENING', 'CONNECTED', 'CLOSED', 'ERROR')),
  message text,
  last_seen_at timestamptz,
  clock_offset_sec int,  -- the clock of the instrument less ours, as its last message says
  pending bytea,  -- encrypted: what has been acknowledged of a message that has not ended
  file_columns jsonb  -- which column of a file holds what
);
comment on table instrument_link is 'How the connection to an instrument stands.';

create table instrument_code (
  instrument_id int not null references instrument,
  instrument_code text not null,
  position int not null,
  test_id int not null references test,
  units text,
  decimals int check (decimals between 0 and 10),
  primary key (instrument_id, instrument_code)
);
comment on table instrument_code is 'What a test is called by an instrument, and in which unit it is measured.';

create table instrument_control (
  instrument_id int not null references instrument,
  specimen_id text not null,
  position int not null,
  lot_id int not null references qc_lot,
  primary key (instrument_id, specimen_id)
);
comment on table instrument_control is 'The specimen number under which a lot of a control material is measured on an instrument.';

create table instrument_message (
  id bigint generated always as identity primary key,
  instrument_id int not null references instrument,
  direction text not null check (direction in ('IN', 'OUT')),
  protocol text not null check (protocol in ('ASTM', 'HL7', 'FILE')),
  state text not null check (state in ('COMPLETE', 'INCOMPLETE')),
  reason text,
  raw bytea not null,  -- encrypted
  content_hash bytea not null,
  received_at timestamptz not null default clock_timestamp(),
  is_waiting boolean not null default false,  -- its results have not been read yet
  failures int not null default 0,
  sent_at timestamptz  -- of a message to the instrument
);
comment on table instrument_message is 'A message that came from an instrument or went to it.';
create index on instrument_message (instrument_id, id);
create index instrument_message_waiting on instrument_message (instrument_id, id) where is_waiting;
create unique index instrument_message_file_key on instrument_message (instrument_id, content_hash) where protocol = 'FILE';
alter table instrument_message enable row level security;
create policy all_rows on instrument_message to lis_all using (true) with check (true);

create table instrument_result (
  id bigint generated always as identity primary key,
  version int not null default 1,
  instrument_id int not null references instrument,
  message_id bigint not null references instrument_message,
  specimen_id text not null,
  instrument_code text not null,
  requisition_id bigint references requisition,
  requisition_test_id bigint references requisition_test,
  test_id int references test,
  value text not null,
  units text,
  flags text[] not null default '{}',
  abnormal_flag text,
  result_status text,
  operator text,
  reagent_lot text,
  measured_at timestamptz,
  received_at timestamptz not null,
  clock_offset_sec int,
  raw_record text not null,
  is_control boolean not null,
  qc_run_id bigint references qc_run,
  identity_hash bytea not null,  -- instrument, specimen, code, value, unit and time: the same again is the same result
  state text not null check (state in ('HELD', 'REVIEW', 'VERIFIED', 'ACCEPTED', 'RERUN', 'REJECTED', 'SUPERSEDED', 'CONTROL')),
  reasons jsonb not null default '[]',  -- [{code, text}]
  is_critical boolean not null default false,
  decided_by int references app_user,
  decided_by_name text,
  decided_at timestamptz,
  decision_reason text
);
comment on table instrument_result is 'A result as an instrument has sent it, and what became of it.';
create unique index instrument_result_identity_key on instrument_result (instrument_id, identity_hash);
create index instrument_result_waiting on instrument_result (instrument_id, message_id, id) where state in ('HELD', 'REVIEW');
create index on instrument_result (requisition_id);
create index on instrument_result (requisition_test_id);
create index on instrument_result (message_id);
create index on instrument_result (test_id, received_at);
create index on instrument_result (instrument_id, id);
alter table instrument_result enable row level security;
create policy instrument_result_scope on instrument_result to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = instrument_result.requisition_id)) with check (true);
create policy all_rows on instrument_result to lis_all using (true) with check (true);

create table autoverify_rule (
  id int generated always as identity primary key,
  test_id int not null references test,
  lab_id int references lab,
  collaborator_id int references collaborator,
  instrument_id int references instrument,
  low numeric,
  high numeric,
  delta_limit numeric check (delta_limit > 0),
  delta_kind text check (delta_kind in ('percent', 'absolute')),
  delta_days int check (delta_days > 0),
  max_specimen_hours int check (max_specimen_hours > 0),
  is_active boolean not null default false,
  was_active boolean not null default false,  -- it has been in force: while it is off, no other rule takes its place
  rule_version int not null default 1,
  version int not null default 1,
  deleted_at timestamptz,
  check (low <= high),
  check ((delta_limit is null) = (delta_kind is null))
);
comment on table autoverify_rule is 'When a result is verified without a person.';
create unique index autoverify_rule_key on autoverify_rule (test_id, coalesce(lab_id, 0), coalesce(collaborator_id, 0), coalesce(instrument_id, 0))
  where deleted_at is null;

create table autoverify_rule_version (
  rule_id int not null references autoverify_rule,
  rule_version int not null,
  content jsonb not null,
  created_at timestamptz not null default now(),
  created_by int references app_user,
  primary key (rule_id, rule_version)
);
comment on table autoverify_rule_version is 'What a rule said in each of its versions.';
revoke update, delete, truncate on autoverify_rule_version from lis_app;

create table autoverify_switch (
  id int primary key default 1 check (id = 1),
  is_stopped boolean not null default false,
  since timestamptz,
  by_user int references app_user,
  by_name text,
  reason text
);
comment on table autoverify_switch is 'The one switch that stops all autoverification; one row.';
insert into autoverify_switch default values;

create table instrument_decision (
  id bigint generated always as identity primary key,
  instrument_result_id bigint not null references instrument_result,
  outcome text not null check (outcome in ('PASSED', 'HELD')),
  rule_id int references autoverify_rule,
  rule_version int,
  decided_at timestamptz not null default clock_timestamp(),
  checks jsonb not null  -- [{code, passed, text}]
);
comment on table instrument_decision is 'What the rules said about a result, with every condition; never changed.';
create index on instrument_decision (instrument_result_id, id);
revoke update, delete, truncate on instrument_decision from lis_app;
alter table instrument_decision enable row level security;
create policy instrument_decision_scope on instrument_decision to lis_app
  using ((select sees_all_rows()) or (select true from instrument_result i where i.id = instrument_decision.instrument_result_id)) with check (true);
create policy all_rows on instrument_decision to lis_all using (true) with check (true);

-- The instrument's result that a result was made of; null for one that was typed or loaded.
alter table requisition_test add column instrument_result_id bigint references instrument_result;
