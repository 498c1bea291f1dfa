-- Foundation
-- What a person is told without looking: alerts on saved views, boards on a wall, and reports by mail.

create table view_alert (
  user_id int not null references app_user,
  smart_filter_id int not null references smart_filter,
  kind text not null check (kind in ('NOT_EMPTY', 'MORE_THAN', 'OLDER_THAN')),
  value int check (value >= 0),  -- a number of rows, or hours for OLDER_THAN
  channels text[] not null check (channels <@ array['BELL', 'MAIL'] and cardinality(channels) > 0),
  told_at timestamptz,
  primary key (user_id, smart_filter_id)
);
comment on table view_alert is 'When a person wants to be told about the rows of a saved view.';

create table view_alert_notice (
  id int generated always as identity primary key,
  user_id int not null references app_user,
  smart_filter_id int not null references smart_filter,
  at timestamptz not null default now(),
  count int not null,
  read_at timestamptz
);
comment on table view_alert_notice is 'An alert that was shown at the bell of a person.';
create index on view_alert_notice (user_id, at desc);

create table board (
  id int generated always as identity primary key,
  name text not null,
  lab_id int not null references lab,
  key_hash bytea not null unique,
  created_by int references app_user,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
comment on table board is 'A screen on the wall of a laboratory, opened by a key of which only the hash is kept.';

create table report_schedule (
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
  only_when_not_empty boolean not null default false,
  next_at timestamptz not null,
  sent_at timestamptz,
  version int not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  check (num_nonnulls(report_code, smart_filter_id) = 1)
);
comment on table report_schedule is 'A report or a saved view that is sent by mail again and again.';
create index on report_schedule (next_at) where deleted_at is null;
create index on report_schedule (owner_id) where deleted_at is null;
