-- Users

alter table smart_filter
  add column sort jsonb check (jsonb_typeof(sort) = 'array'),
  add column columns jsonb check (jsonb_typeof(columns) = 'array'),
  add column version int not null default 1;

create table smart_filter_share (
  id int generated always as identity primary key,
  smart_filter_id int not null references smart_filter,
  role_code text check (role_code in ('ADM', 'COLA', 'CLNT', 'MGMT', 'PHYS', 'SLS', 'STF', 'BILL')),
  user_id int references app_user,
  constraint smart_filter_share_with check (num_nonnulls(role_code, user_id) = 1)
);
comment on table smart_filter_share is 'A role or a user with whom the owner of a view shares it.';
create unique index smart_filter_share_role on smart_filter_share (smart_filter_id, role_code) where role_code is not null;
create unique index smart_filter_share_user on smart_filter_share (smart_filter_id, user_id) where user_id is not null;
create index on smart_filter_share (role_code) where role_code is not null;
create index on smart_filter_share (user_id) where user_id is not null;

create table smart_filter_choice (
  user_id int not null references app_user,
  smart_filter_id int not null references smart_filter,
  is_default boolean not null,
  is_pinned boolean not null,
  primary key (user_id, smart_filter_id)
);
comment on table smart_filter_choice is 'Whether a view opens by default for a user, and is pinned to Home.';

create table list_setting (
  user_id int not null references app_user,
  screen text not null,
  columns jsonb check (jsonb_typeof(columns) = 'array'),  -- null is the standard
  sort jsonb not null default '[]' check (jsonb_typeof(sort) = 'array'),
  tab text,
  is_filter_open boolean,
  per_page int check (per_page between 1 and 500),
  primary key (user_id, screen)
);
comment on table list_setting is 'How a user left a list: columns, order, tab, page size and filter panel.';
