-- Foundation
-- PostgreSQL 15 or newer; nothing that only a later version has.
--
-- Conventions of all files:
--   keys         identity columns: bigint where rows grow with orders, int for master data
--   version      raised by the service with each change; a change names the version it was made from (If-Match)
--   deleted_at   soft delete; unique rules then hold among the rows that are not deleted; the indexes *_deleted hold the
--                deleted rows alone, which are few, for the list of deleted records
--   instants     timestamptz, with the zone they were meant in beside them; a date without a time is a date
--   money        numeric(12,2)
--   codes        a CHECK where the code drives behaviour; the others are checked by the service against `lov`, so that a
--                laboratory can add one without a migration
--   comment on   one sentence per table; docs/schema.md is generated from them

create extension if not exists pg_trgm;
create extension if not exists btree_gin;
create extension if not exists unaccent;
create extension if not exists citext;

-- Roles
--
-- The server works as a member of lis_app, never as the owner of the schema: it can append to the audit, not change it.
-- Each call works as one of the other roles, by what its user may see: every requisition (lis_all), or those of a client,
-- collaborator, physician, sales person, or in a billing batch. Each role has row-level security policies of its own, which name
-- only the columns that role is scoped by, so that the indexes of the lists can answer them. lis_app alone sees no requisition.
--
-- Roles belong to the whole database server: another installation or an administrator may have created them already.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['lis_app', 'lis_all', 'lis_client', 'lis_collaborator', 'lis_physician', 'lis_sales', 'lis_billing'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I nologin', role_name);
    end if;
    if not pg_has_role(role_name, 'lis_app', 'MEMBER') then
      execute format('grant lis_app to %I', role_name);
    end if;
    -- The creator of a role is its member, but may not always work as it (PostgreSQL 16 and later).
    begin
      execute format('set local role %I', role_name);
      reset role;
    exception when insufficient_privilege then
      execute format('grant %I to %I', role_name, current_user);
    end;
  end loop;
exception when insufficient_privilege then
  raise exception using message = format(
    'The database user must be allowed to create roles, or an administrator must run: create role lis_app; grant lis_app to %1$I; '
    'and for each of lis_all, lis_client, lis_collaborator, lis_physician, lis_sales and lis_billing: '
    'create role lis_all; grant lis_app to lis_all; grant lis_all to %1$I;', current_user);
end $$;

-- Every table and sequence that is created from here on. Tables that the server may not write say so with a REVOKE beside them.
grant usage on schema public to lis_app;
alter default privileges in schema public grant select, insert, update, delete on tables to lis_app;
alter default privileges in schema public grant usage on sequences to lis_app;

-- The program creates this table before it applies the first file.
comment on table schema_migration is 'The migration files that were applied, each with the hash of its text.';
grant select, insert, update, delete on schema_migration to lis_app;

-- Functions that several tables use

-- The form of a name that is sorted and searched by: lower case, without accents.
-- unaccent() is only STABLE because its dictionary may change; a fixed dictionary makes it safe to use in generated columns.
create function sort_key(text) returns text language sql immutable parallel safe
  return lower(public.unaccent('public.unaccent'::regdictionary, coalesce($1, ''))) collate "C";

-- A name with one space between its words; two names that differ in spaces only are the same name.
create function single_spaced(text) returns text language sql immutable
  return regexp_replace($1, '[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+', ' ', 'g');

-- Trigger of append-only tables.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = '42501';
end $$;

-- Row-level security: the server sets lis.role and lis.scope (ids, comma-separated) on the connection before it is used.
--
-- The tables that belong to a requisition share one policy: a row is seen with its requisition, whose own policies decide. The
-- subquery returns a value, so it is one look-up by key per row; written as EXISTS, the planner sometimes collects every requisition
-- of the scope first (measured with 20,000 requisitions: 86 ms against 1 ms).
--
-- `patient`, `client` and `requisition_search` have no policy: LIKE is not leakproof, so a policy would keep their trigram indexes
-- from being used. Queries reach them through requisitions in scope, or by the conditions of the query.

-- Whether the user of the call sees every requisition.
create function sees_all_rows() returns boolean language sql stable parallel safe as $$
  select coalesce(current_setting('lis.role', true) in ('SYSTEM', 'ADM', 'MGMT', 'STF'), false) $$;

-- Whether the user of the call sees the documents and prices of a client. Billing works with every price.
create function is_client_row_seen(client_id int) returns boolean language sql stable parallel safe as $$
  select case current_setting('lis.role', true)
    when 'SYSTEM' then true
    when 'ADM' then true
    when 'MGMT' then true
    when 'STF' then true
    when 'BILL' then true
    when 'CLNT' then client_id = current_setting('lis.scope')::int
    when 'SLS' then client_id = any (string_to_array(current_setting('lis.scope'), ',')::int[])
    else false
  end $$;

create table setting (
  key text primary key,
  value jsonb not null,
  version int not null default 1,
  updated_at timestamptz not null default now()
);
comment on table setting is 'A setting of the laboratory that is changed in the program, by key.';

create table idempotency_key (
  user_id int not null,
  key text not null check (length(key) between 8 and 200),
  route text not null,
  request_hash bytea not null,
  reply_status int,
  reply_body jsonb,  -- null while the first call is still running
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
comment on table idempotency_key is 'The reply to a call with an idempotency key, so that a repeated call gets the same answer.';
create index on idempotency_key (created_at);

create table draft (
  user_id int not null,
  form text not null,
  record_key text not null default '',
  id text not null,  -- each opening of the form writes its own draft
  base_version int,
  body jsonb not null,
  started_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, form, record_key, id)
);
comment on table draft is 'What somebody typed into a form and has not saved, so that it survives an expired session or a conflict.';

-- Unlogged: losing it in a crash only forgives.
create unlogged table rate_limit (
  bucket text primary key,
  hits int not null,
  window_start timestamptz not null
);
comment on table rate_limit is 'Calls per client and time window, shared by all processes.';
