-- Issues

create table issue (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  issue_type_id int references issue_type,
  reporter_department_id int not null references department,
  resolver_department_id int not null references department,
  description text not null,
  note text,
  status_code text not null default 'OPEN' check (status_code in ('OPEN', 'INPROG', 'RESOLVED', 'CLOSED')),
  status_at timestamptz not null default now(),
  created_by int references app_user,
  created_at timestamptz not null default now(),
  closed_by int references app_user,
  closed_at timestamptz,
  version int not null default 1,
  deleted_at timestamptz,
  check ((status_code = 'CLOSED') = (closed_at is not null))
);
comment on table issue is 'Something about a requisition that a department has to resolve.';
create index on issue (requisition_id);
create index on issue (status_at) where status_code <> 'CLOSED' and deleted_at is null;
alter table issue enable row level security;
create policy issue_scope on issue to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = issue.requisition_id)) with check (true);
create policy all_rows on issue to lis_all using (true) with check (true);

create table issue_work_log (
  id bigint generated always as identity primary key,
  issue_id bigint not null references issue,
  work_log text not null,
  created_by int references app_user,
  created_at timestamptz not null default now()
);
comment on table issue_work_log is 'An entry in the work log of an issue.';
create index on issue_work_log (issue_id);
alter table issue_work_log enable row level security;
create policy issue_work_log_scope on issue_work_log to lis_app
  using ((select sees_all_rows()) or (select true from issue p where p.id = issue_work_log.issue_id)) with check (true);
create policy all_rows on issue_work_log to lis_all using (true) with check (true);

create table notification_read (
  user_id int not null references app_user,
  requisition_id bigint not null references requisition,
  read_count int not null,
  read_at timestamptz not null default now(),
  primary key (user_id, requisition_id)
);
comment on table notification_read is 'How many issues of a requisition a user has read.';

create table patient_change (
  id bigint generated always as identity primary key,
  patient_id bigint not null references patient,
  requisition_id bigint not null references requisition,
  before jsonb not null,
  after jsonb not null,
  issue_id bigint references issue,
  requested_by int not null,
  requested_at timestamptz not null default now(),
  is_taken boolean,
  decided_by int,
  decided_at timestamptz,
  check ((is_taken is null) = (decided_at is null))
);
comment on table patient_change is 'A change of a shared patient''s identity that a partner has asked for and the laboratory decides.';
create index patient_change_open on patient_change (requisition_id) where is_taken is null;
alter table patient_change enable row level security;
create policy patient_change_scope on patient_change to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = patient_change.requisition_id))
  with check (true);
