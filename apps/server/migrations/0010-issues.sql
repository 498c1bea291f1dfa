-- Issues
create table issue (
  id bigint generated always as identity primary key, requisition_id bigint not null references requisition, issue_type_id int references issue_type,
  reporter_department_id int not null references department, resolver_department_id int not null references department,
  description text not null, note text, status_code text not null default 'OPEN' check (status_code in ('OPEN','INPROG','RESOLVED','CLOSED')),
  status_at timestamptz not null default now(), created_by int references app_user, created_at timestamptz not null default now(),
  closed_by int references app_user, closed_at timestamptz, version int not null default 1, deleted_at timestamptz,
  check ((status_code = 'CLOSED') = (closed_at is not null))
);
create index on issue (requisition_id);
create index on issue (status_at) where status_code <> 'CLOSED' and deleted_at is null;
create table issue_work_log (
  id bigint generated always as identity primary key, issue_id bigint not null references issue, work_log text not null,
  created_by int references app_user, created_at timestamptz not null default now()
);
create index on issue_work_log (issue_id);
create table notification_read (            -- unread = issueCount − readCount, per user and requisition
  user_id int not null references app_user, requisition_id bigint not null references requisition, read_count int not null,
  read_at timestamptz not null default now(), primary key (user_id, requisition_id)
);
