-- Requisition scans

create table requisition_scan (
  id int generated always as identity primary key,
  created_by int not null references app_user,
  object_key text not null,
  state text not null default 'WAITING' check (state in ('WAITING', 'READING', 'DONE', 'FAILED')),
  message text,
  created_at timestamptz not null default now()
);
comment on table requisition_scan is 'A scanned paper requisition that is read beside the form, kept for a day.';
create index on requisition_scan (created_at);

create table requisition_scan_field (
  scan_id int not null references requisition_scan on delete cascade,
  n int not null,
  name text not null,
  value text not null,
  confidence real not null,
  is_unsure boolean not null,
  page int not null,
  box real[] not null,
  piece bytea not null,
  primary key (scan_id, n)
);
comment on table requisition_scan_field is 'A field read on a scan, with the piece of the picture as PNG.';
