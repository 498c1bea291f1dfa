-- Users
create table undo_action (
  id bigint generated always as identity primary key,
  user_id int not null references app_user,
  kind text not null,
  description text not null,
  record_count int not null check (record_count > 0),
  data jsonb not null,
  created_at timestamptz not null default now(),
  undone_at timestamptz,
  undone_by int references app_user,
  check ((undone_at is null) = (undone_by is null))
);
comment on table undo_action is 'What a user did that can be undone for a while, with what it takes to undo it.';
create index undo_action_user on undo_action (user_id, id);
create index undo_action_created on undo_action (created_at);
