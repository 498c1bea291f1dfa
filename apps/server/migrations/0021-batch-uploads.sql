-- Batch uploads
-- A report whose content does not agree with the record it would be filed under waits (HELD) until a person decides and says why.
alter table report_upload_file drop constraint report_upload_file_status_code_check;
alter table report_upload_file
  add check (status_code in ('INIT','COMPLETE','FILENOTFOUND','NOREQ','BADFILE','HELD','REJECTED')),
  add column arrived_at timestamptz,        -- the sender said that it is in the store; from then on it is ours to settle
  add column note text,                     -- what a person should know about the state
  add column reading jsonb,                 -- what was read in the file, and how it compares with the record
  add column report_id bigint references report, add column document_id bigint references document,
  add column decided_by int references app_user, add column decided_at timestamptz, add column decision_reason text,
  add column version int not null default 1,
  add check ((decided_at is null) = (decision_reason is null));
create index on report_upload_file (requisition_id) where requisition_id is not null;
create index report_upload_file_open on report_upload_file (status_code, id) where status_code in ('INIT','HELD');
alter table report_upload drop column total_files_completed;   -- counted from the files: a counter would make the files of a batch wait for each other
create index on report_upload (load_at);
create index stored_file_sha256 on stored_file (sha256);       -- the same file twice is filed once
create index on report_version (file_id);
create index on document (file_id);

-- A load commits piece by piece together with its counts, so a killed process goes on where the last piece ended.
alter table csv_load
  add column skipped_count int not null default 0, add column rows_done int not null default 0,
  add column job_id uuid, add column message text, add column finished_at timestamptz;
create index on csv_load (load_at);
