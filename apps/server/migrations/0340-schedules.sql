-- Foundation
-- Reports and saved views that are sent by mail, again and again.

create table schedule (
  id int generated always as identity primary key,
  owner_id int not null references app_user,
  report_code text,
  smart_filter_id int references smart_filter,
  every text not null check (every in ('DAY', 'WEEK', 'MONTH')),
  at time not null,
  tz text not null,
  user_ids int[] not null default '{}',
  role_codes text[] not null default '{}',
  emails text[] not null default '{}',
  send_as text not null check (send_as in ('LINK', 'CSV', 'XLSX', 'PDF')),
  is_only_when_not_empty boolean not null default false,
  starts_at timestamptz not null default now(),  -- its day of the week or month is that of the sendings
  next_at timestamptz not null,
  sent_at timestamptz,
  version int not null default 1,
  deleted_at timestamptz,
  check (num_nonnulls(report_code, smart_filter_id) = 1)
);
comment on table schedule is 'A report or a saved view that is sent by mail again and again.';
create index on schedule (next_at) where deleted_at is null;
create index on schedule (owner_id) where deleted_at is null;
