-- Files, jobs and messages

create table stored_file (
  id bigint generated always as identity primary key,
  object_key text not null unique,
  original_name text not null,
  content_type text not null,
  byte_size bigint not null check (byte_size >= 0),
  sha256 bytea not null,
  created_by int,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
comment on table stored_file is 'A file in the object store, whatever it belongs to, with its SHA-256.';
-- The same file twice is filed once.
create index stored_file_sha256 on stored_file (sha256);

create table upload_slot (
  object_key text primary key,
  session_id uuid not null,
  purpose text not null,
  max_bytes bigint not null default 52428800,
  expires_at timestamptz not null,
  used_at timestamptz
);
comment on table upload_slot is 'A signed place for one upload, which is valid for 15 minutes and bound to one object key and one session.';

-- The queue itself belongs to pg-boss; this row outlives it.
create table job (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  user_id int,
  input jsonb not null default '{}',
  state text not null default 'QUEUED' check (state in ('QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED')),
  done int not null default 0,
  total int,
  message text,
  result jsonb,
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);
comment on table job is 'Long work as the screen shows it, with its progress and result.';
create index on job (user_id, created_at);
create index on job (state, created_at) where state in ('QUEUED', 'RUNNING', 'FAILED');

create table outbox_message (
  id bigint generated always as identity primary key,
  channel text not null check (channel in ('EMAIL', 'SMS', 'FAX', 'HL7', 'PRINT')),
  recipient text not null,
  subject text,
  body text not null,
  attachment_ids bigint[] not null default '{}',
  dedupe_key text unique,
  state text not null default 'QUEUED' check (state in ('QUEUED', 'SENDING', 'SENT', 'FAILED', 'DEAD')),
  attempts int not null default 0,
  is_refused boolean not null default false,  -- the other side said no for good
  next_attempt_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  expires_at timestamptz,  -- a code or reset link is not sent when it is too late
  sent_at timestamptz
);
comment on table outbox_message is 'A message to be sent by e-mail, SMS, fax, HL7 or print, written in the transaction of what it tells about.';
create index on outbox_message (next_attempt_at) where state in ('QUEUED', 'FAILED', 'SENDING');
-- Codes and reset links do not wait behind reports.
create index on outbox_message (channel, next_attempt_at) where expires_at is not null and state in ('QUEUED', 'FAILED', 'SENDING');
-- How many messages are being sent to one recipient is asked before each claim.
create index outbox_message_in_hand on outbox_message (channel, recipient) where state = 'SENDING';

create table outbox_attempt (
  id bigint generated always as identity primary key,
  message_id bigint not null references outbox_message,
  at timestamptz not null default now(),
  succeeded boolean not null,
  detail text
);
comment on table outbox_attempt is 'One attempt to send a message, with the answer of the other side.';
create index on outbox_attempt (message_id);
