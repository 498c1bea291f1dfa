-- Platform: what every part stands on. PostgreSQL 15 or newer, nothing 18-only.
-- Habits: identity keys (bigint where rows grow with orders, int for master data); `version` is raised by the service with
-- If-Match; `deleted_at` is the soft delete (unique rules then hold among the living); instants are timestamptz with the zone they
-- were meant in beside them; dates without time are date; money is numeric(12,2); codes that drive behaviour have a CHECK, the
-- other codes are checked by the service against `lov`, so that a laboratory can add one without a migration.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;
create extension if not exists unaccent;
create extension if not exists citext;

-- unaccent() is only STABLE because its dictionary may change; a fixed dictionary makes it safe to use in generated columns.
create function sort_key(text) returns text language sql immutable parallel safe
  return lower(public.unaccent('public.unaccent'::regdictionary, coalesce($1, ''))) collate "C";

create table setting (
  key text primary key, value jsonb not null, version int not null default 1, updated_at timestamptz not null default now()
);

-- Idempotency: the reply of a create, bulk action or payment is kept, so that a repeat gets the same answer.
create table idempotency_key (
  user_id int not null, key text not null check (length(key) between 8 and 200), route text not null,
  request_hash bytea not null, reply_status int, reply_body jsonb,   -- null reply: the first call is still running
  created_at timestamptz not null default now(), primary key (user_id, key)
);
create index on idempotency_key (created_at);

create table draft (                      -- what was typed and not saved: survives an expired session or a conflict
  user_id int not null, form text not null, record_key text not null default '', base_version int,
  body jsonb not null, updated_at timestamptz not null default now(), primary key (user_id, form, record_key)
);

create unlogged table rate_limit (                 -- shared by all processes; unlogged: losing it in a crash only forgives
  bucket text primary key, hits int not null, window_start timestamptz not null
);

create table stored_file (                -- one row per object in the store, whatever owns it
  id bigint generated always as identity primary key, object_key text not null unique, original_name text not null,
  content_type text not null, byte_size bigint not null check (byte_size >= 0), sha256 bytea not null,
  created_by int, created_at timestamptz not null default now(), deleted_at timestamptz
);

-- Progress of long work, as the screen shows it. The queue itself belongs to pg-boss; this row outlives it.
create table job (
  id uuid primary key default gen_random_uuid(), kind text not null, user_id int, input jsonb not null default '{}',
  state text not null default 'QUEUED' check (state in ('QUEUED','RUNNING','DONE','FAILED','CANCELLED')),
  done int not null default 0, total int, message text, result jsonb, attempts int not null default 0,
  created_at timestamptz not null default now(), started_at timestamptz, finished_at timestamptz
);
create index on job (user_id, created_at);
create index on job (state, created_at) where state in ('QUEUED','RUNNING','FAILED');

create table upload_slot (                -- a signed slot lives 15 minutes and is bound to one key and one session
  object_key text primary key, session_id uuid not null, purpose text not null, max_bytes bigint not null default 52428800,
  expires_at timestamptz not null, used_at timestamptz
);
