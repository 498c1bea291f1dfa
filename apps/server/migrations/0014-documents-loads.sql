-- Documents and loads

create table document (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  type_code text not null check (type_code in ('SCANREQ', 'INSCARD', 'ADDON', 'SCANEOB', 'SCANINV', 'CHECK', 'REPORT')),
  file_id bigint not null references stored_file,
  created_by int references app_user,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
comment on table document is 'A scanned or uploaded document of a requisition.';
create index on document (requisition_id, type_code);
create index on document (file_id);
create index document_deleted on document (deleted_at) where deleted_at is not null;
alter table document enable row level security;
create policy document_scope on document to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = document.requisition_id)) with check (true);
create policy all_rows on document to lis_all using (true) with check (true);

create table client_document (
  id int generated always as identity primary key,
  client_id int not null references client,
  file_id bigint not null references stored_file,
  created_by int references app_user,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
comment on table client_document is 'A document of a client.';
create index on client_document (client_id);
create index client_document_deleted on client_document (deleted_at) where deleted_at is not null;
alter table client_document enable row level security;
create policy client_document_scope on client_document to lis_app using (is_client_row_seen(client_id)) with check (true);
create policy all_rows on client_document to lis_all using (true) with check (true);

-- Completed files are counted from the files: a counter would make the files of a batch wait for each other.
create table report_upload (
  id int generated always as identity primary key,
  batch_type_code text not null check (batch_type_code in ('REPORT', 'SCANREQ')),
  total_files int not null,
  load_by int references app_user,
  load_at timestamptz not null default now()
);
comment on table report_upload is 'A batch upload of report or requisition files.';
create index on report_upload (load_at);

-- HELD: its content does not agree with the record it would be filed under; a person decides and says why.
create table report_upload_file (
  id bigint generated always as identity primary key,
  upload_id int not null references report_upload,
  original_name text not null,
  object_key text not null,
  status_code text not null default 'INIT' check (status_code in ('INIT', 'COMPLETE', 'FILENOTFOUND', 'NOREQ', 'BADFILE', 'HELD', 'REJECTED')),
  status_at timestamptz not null default now(),
  arrived_at timestamptz,  -- the sender said that it is in the store; from then on it is ours to settle
  note text,  -- what a person should know about the state
  reading jsonb,  -- what was read in the file, and how it compares with the record
  requisition_id bigint references requisition,
  file_id bigint references stored_file,
  report_id bigint references report,
  document_id bigint references document,
  decided_by int references app_user,
  decided_at timestamptz,
  decision_reason text,
  version int not null default 1,
  unique (upload_id, original_name),
  check ((decided_at is null) = (decision_reason is null))
);
comment on table report_upload_file is 'A file of a batch upload, and what became of it.';
create index on report_upload_file (requisition_id) where requisition_id is not null;
create index report_upload_file_open on report_upload_file (status_code, id) where status_code in ('INIT', 'HELD');

-- A load commits piece by piece together with its counts, so a killed process continues where the last piece ended.
create table csv_load (
  id int generated always as identity primary key,
  file_type_code text not null check (file_type_code in ('REQUISITION', 'RESULT', 'CLIENT', 'PHYSICIAN')),
  file_id bigint references stored_file,
  object_key text not null,
  original_name text not null,
  state text not null default 'INIT' check (state in ('INIT', 'RUNNING', 'DONE', 'FAILED')),
  total_count int not null default 0,
  success_count int not null default 0,
  error_count int not null default 0,
  skipped_count int not null default 0,
  rows_done int not null default 0,
  load_by int references app_user,
  load_at timestamptz not null default now(),
  job_id uuid,
  message text,
  finished_at timestamptz
);
comment on table csv_load is 'A CSV file of requisitions, results, clients or physicians that is loaded row by row.';
create index on csv_load (load_at);

create table csv_load_error (
  id bigint generated always as identity primary key,
  load_id int not null references csv_load,
  row_no int not null,
  column_name text,
  error_desc text not null
);
comment on table csv_load_error is 'A row of a CSV load that was not taken, and why.';
create index on csv_load_error (load_id, row_no);
