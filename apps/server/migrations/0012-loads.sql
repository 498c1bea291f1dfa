-- Loads
create table report_upload (
  id int generated always as identity primary key, batch_type_code text not null check (batch_type_code in ('REPORT','SCANREQ')),
  total_files int not null, total_files_completed int not null default 0, load_by int references app_user, load_at timestamptz not null default now()
);
create table report_upload_file (
  id bigint generated always as identity primary key, upload_id int not null references report_upload, original_name text not null, object_key text not null,
  status_code text not null default 'INIT' check (status_code in ('INIT','COMPLETE','FILENOTFOUND','NOREQ','BADFILE')), status_at timestamptz not null default now(),
  requisition_id bigint references requisition, file_id bigint references stored_file, unique (upload_id, original_name)
);
create table csv_load (
  id int generated always as identity primary key, file_type_code text not null check (file_type_code in ('REQUISITION','RESULT','CLIENT','PHYSICIAN')),
  file_id bigint references stored_file, object_key text not null, original_name text not null, state text not null default 'INIT' check (state in ('INIT','RUNNING','DONE','FAILED')),
  total_count int not null default 0, success_count int not null default 0, error_count int not null default 0, load_by int references app_user, load_at timestamptz not null default now()
);
create table csv_load_error (
  id bigint generated always as identity primary key, load_id int not null references csv_load, row_no int not null, column_name text, error_desc text not null
);
create index on csv_load_error (load_id, row_no);
