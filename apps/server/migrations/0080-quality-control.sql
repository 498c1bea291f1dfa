-- Quality control

create table instrument (
  id int generated always as identity primary key,
  name text not null,
  lab_id int not null references lab,
  model text,
  serial_number text,
  protocol text not null check (protocol in ('ASTM', 'HL7', 'FILE')),
  host text,  -- we connect to it; without one we listen on the port
  port int check (port between 1 and 65535),
  is_active boolean not null default true,
  version int not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
comment on table instrument is 'An analyser of a laboratory, and how it is connected.';
create index instrument_deleted on instrument (deleted_at) where deleted_at is not null;
create unique index instrument_name_key on instrument (lab_id, lower(name)) where deleted_at is null;

-- Null where nobody said which instrument measured it: typed and loaded results.
alter table requisition_test add column instrument_id int references instrument;

create table qc_material (
  id int generated always as identity primary key,
  name text not null,
  maker text,
  version int not null default 1
);
comment on table qc_material is 'A control material.';
create unique index qc_material_name_key on qc_material (lower(name), lower(coalesce(maker, '')));

create table qc_lot (
  id int generated always as identity primary key,
  material_id int not null references qc_material,
  level int not null check (level between 1 and 4),
  lot_number text not null,
  opened date,
  expires date not null,
  is_parallel boolean not null default false,  -- measured beside the lot in use, without an effect on the state of control
  version int not null default 1
);
comment on table qc_lot is 'A lot of a control material, of one level.';
create unique index qc_lot_number_key on qc_lot (material_id, level, lot_number);

create table qc_target (
  id int generated always as identity primary key,
  lot_id int not null references qc_lot,
  test_id int not null references test,
  instrument_id int not null references instrument,
  mean numeric not null,
  sd numeric not null check (sd > 0),
  source text not null check (source in ('MAKER', 'OWN')),
  valid_from timestamptz not null,
  valid_to timestamptz,
  check (valid_to > valid_from)
);
comment on table qc_target is 'Mean and SD of a lot for a test and instrument, and when they apply. Of several, the one that began last applies.';
create index on qc_target (lot_id, test_id, instrument_id, valid_from);

create table qc_plan (
  id int generated always as identity primary key,
  instrument_id int not null references instrument,
  test_id int not null references test,
  rules jsonb not null,  -- [{rule, action}]
  every_hours int check (every_hours > 0),
  every_results int check (every_results > 0),
  allowed_error_pct numeric check (allowed_error_pct > 0),
  version int not null default 1
);
comment on table qc_plan is 'Which control rules apply to a test on an instrument, and how often controls are due.';
create unique index qc_plan_key on qc_plan (instrument_id, test_id);

create table qc_run (
  id bigint generated always as identity primary key,
  instrument_id int not null references instrument,
  test_id int not null references test,
  run_no text,
  ran_at timestamptz not null,
  operator text,
  state text not null check (state in ('IN', 'WARNING', 'REJECTED', 'NOT_EVALUATED')),
  control_state text check (control_state in ('IN', 'WARNING', 'REJECTED', 'NOT_EVALUATED')),  -- without parallel lots; null if there is no other
  levels int[] not null default '{}',  -- without parallel lots
  rules jsonb not null,  -- [{rule, action}], as chosen when it was entered
  broken jsonb not null default '[]',  -- [{rule, action, levels, valueIds}]
  is_void boolean not null default false,
  void_reason text,
  voided_at timestamptz,
  voided_by int references app_user,
  created_at timestamptz not null default now(),
  created_by int references app_user
);
comment on table qc_run is 'Controls that were measured together for one test on one instrument, and what the rules say about them.';
create index on qc_run (instrument_id, test_id, ran_at, id);
create unique index qc_run_no_key on qc_run (instrument_id, test_id, run_no) where run_no is not null;

-- Instrument, test and time repeat those of the run, so that one index finds the last values of a lot.
create table qc_value (
  id bigint generated always as identity primary key,
  run_id bigint not null references qc_run,
  lot_id int not null references qc_lot,
  level int not null,
  instrument_id int not null,
  test_id int not null,
  ran_at timestamptz not null,
  value numeric not null,
  mean numeric,  -- of the target at the time; null if there was none
  sd numeric,
  z numeric,  -- rounded, for display
  state text not null check (state in ('IN', 'WARNING', 'REJECTED', 'NOT_EVALUATED')),
  is_parallel boolean not null,  -- the lot was parallel when it was measured
  is_void boolean not null default false,
  unique (run_id, level)
);
comment on table qc_value is 'The measured value of one control level.';
create index on qc_value (instrument_id, test_id, lot_id, ran_at, run_id) where not is_void;

create table qc_action (
  id int generated always as identity primary key,
  instrument_id int not null references instrument,
  test_id int not null references test,
  cause text not null,
  action text not null,
  done_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  recorded_by int references app_user,
  recorded_by_name text not null
);
comment on table qc_action is 'A corrective action: what was found, what was done, and when.';
create index on qc_action (instrument_id, test_id, done_at);

-- Derived from the runs and actions; stored so that a new run need not read them.
create table qc_control (
  instrument_id int not null references instrument,
  test_id int not null references test,
  state text not null default 'NONE' check (state in ('NONE', 'IN', 'OUT', 'NOT_EVALUATED')),
  since timestamptz,
  last_good_run_at timestamptz,
  rejected_run_id bigint,  -- the latest rejected run, while out of control
  rejected_at timestamptz,
  rejected_levels int[] not null default '{}',
  last_run_id bigint,
  last_run_at timestamptz,
  before_last jsonb,  -- the state before the last run, to which a level may still be added
  primary key (instrument_id, test_id)
);
comment on table qc_control is 'Whether a test is in control on an instrument.';
create index on qc_control (test_id) where state = 'OUT';

create table qc_lookback (
  id bigint generated always as identity primary key,
  qc_run_id bigint not null references qc_run,
  requisition_id bigint not null references requisition,
  requisition_test_id bigint not null references requisition_test,
  value text,
  is_released boolean not null,
  state text not null default 'OPEN' check (state in ('OPEN', 'CONFIRMED', 'REPEATED', 'WAIVED')),
  reason text,
  settled_at timestamptz,
  settled_by int references app_user,
  created_at timestamptz not null default now()
);
comment on table qc_lookback is 'A patient result measured since the last run in control before a rejection, to be looked at again.';
create unique index qc_lookback_open_key on qc_lookback (requisition_test_id) where state = 'OPEN';
create index on qc_lookback (qc_run_id);
create index on qc_lookback (requisition_id);
alter table qc_lookback enable row level security;
create policy qc_lookback_scope on qc_lookback to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = qc_lookback.requisition_id))
  with check (true);
create policy all_rows on qc_lookback to lis_all using (true) with check (true);
