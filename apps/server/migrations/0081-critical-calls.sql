-- Critical values

create table critical_limit (
  id int generated always as identity primary key,
  test_id int not null references test,
  sex_code text check (sex_code in ('MALE', 'FEMALE')),
  age_from int check (age_from >= 0),  -- completed years, both inclusive
  age_to int check (age_to >= 0),
  collaborator_id int references collaborator,
  lo numeric,
  hi numeric,
  call_minutes int not null default 30 check (call_minutes > 0),
  version int not null default 1,
  deleted_at timestamptz,
  check (lo is not null or hi is not null),
  check (lo < hi),
  check (age_from <= age_to)
);
comment on table critical_limit is 'A value below lo or above hi is called at once; the most specific limit applies.';
create index on critical_limit (test_id) where deleted_at is null;

create table critical_call (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  requisition_test_id bigint not null references requisition_test,
  test_id int not null references test,
  value text not null,
  units text,
  replaces_value text,
  is_critical boolean not null,  -- false where a critical value was corrected to one that is not
  lo numeric,
  hi numeric,
  raised_at timestamptz not null default now(),
  due_at timestamptz not null,
  state text not null default 'OPEN' check (state in ('OPEN', 'TAKEN', 'CLOSED', 'SUPERSEDED')),
  escalation int not null default 0 check (escalation between 0 and 2),  -- 1 the department, 2 management
  taken_by int references app_user,
  taken_at timestamptz,
  closed_by int references app_user,
  closed_at timestamptz,
  close_reason text,
  version int not null default 1
);
comment on table critical_call is 'A critical result that somebody has to be called about.';
create index on critical_call (requisition_id, test_id, id);
create index on critical_call (due_at) where state in ('OPEN', 'TAKEN');
create index on critical_call (raised_at);
alter table critical_call enable row level security;
create policy critical_call_scope on critical_call to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = critical_call.requisition_id))
  with check (true);
create policy all_rows on critical_call to lis_all using (true) with check (true);

create table critical_attempt (
  id bigint generated always as identity primary key,
  call_id bigint not null references critical_call,
  outcome text not null check (outcome in ('REACHED', 'NOANSWER', 'MESSAGE')),
  called_to text,
  role text,
  phone text,
  called_at timestamptz not null,
  read_back text,
  is_read_back_ok boolean,
  note text,
  created_at timestamptz not null default now(),
  created_by int references app_user,
  created_by_name text not null
);
comment on table critical_attempt is 'One try to reach somebody about a critical result, and what they read back.';
create index on critical_attempt (call_id);
alter table critical_attempt enable row level security;
create policy critical_attempt_scope on critical_attempt to lis_app
  using ((select sees_all_rows()) or (select true from critical_call c where c.id = critical_attempt.call_id)) with check (true);
create policy all_rows on critical_attempt to lis_all using (true) with check (true);
