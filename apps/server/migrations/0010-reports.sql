-- Reports

create table report (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  current_version_no int not null default 1,
  lab_qc_status_code text not null default 'PENDING' check (lab_qc_status_code in ('PENDING', 'RELEASE', 'REPEAT', 'MD', 'HOLD')),
  qc_type_code text,
  review_at timestamptz,
  release_at timestamptz,
  first_release_at timestamptz,  -- null if released once at most; turnaround ends at the first release
  repeat_at timestamptz,
  created_at timestamptz not null default now(),
  version int not null default 1,
  deleted_at timestamptz
);
comment on table report is 'A report of a requisition; its content is a version, so a correction keeps the original.';
create index on report (requisition_id);
alter table report enable row level security;
create policy report_scope on report to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = report.requisition_id)) with check (true);
create policy all_rows on report to lis_all using (true) with check (true);

-- A report of the requisition was released at least once. Partial reports count too.
create function has_been_out(requisition bigint) returns boolean language sql stable
  return exists (
    select from report p
    where p.requisition_id = requisition and p.deleted_at is null and coalesce(p.first_release_at, p.release_at) is not null);

create table report_version (
  report_id bigint not null references report,
  version_no int not null check (version_no >= 1),
  file_id bigint not null references stored_file,
  content jsonb,  -- people and results as they were then; a correction is compared with it
  is_made_here boolean not null default false,  -- made by this program, not uploaded
  is_correction boolean not null default false,
  correction_reason text,
  guard_finding text,  -- what in the file did not agree with the record
  guard_reason text,  -- why a person kept it all the same
  created_by int references app_user,
  created_at timestamptz not null default now(),
  primary key (report_id, version_no),
  check (is_correction = (version_no > 1)),
  check (not is_correction or correction_reason is not null),
  constraint report_version_guard_decided check ((guard_finding is null) = (guard_reason is null))
);
comment on table report_version is 'One version of a report: the file, what it said, and why it was corrected.';
create index on report_version (file_id);
alter table report_version enable row level security;
create policy report_version_scope on report_version to lis_app
  using ((select sees_all_rows()) or (select true from report p where p.id = report_version.report_id)) with check (true);
create policy all_rows on report_version to lis_all using (true) with check (true);
create trigger report_version_append_only before update or delete or truncate on report_version for each statement execute function refuse_change();
revoke update, delete, truncate on report_version from lis_app;

create table report_event (
  id bigint generated always as identity primary key,
  report_id bigint not null references report,
  version_no int,
  action_code text not null,
  detail text,
  content jsonb,  -- of an uploaded file at its release: what the record said then, if the version has something else
  actor_id int,
  at timestamptz not null default now()
);
comment on table report_event is 'What happened to a report: uploaded, reviewed, released, repeated, delivered or viewed.';
create index on report_event (report_id, id);
-- Rows grow in the order of time, so a small BRIN index finds a period.
create index report_event_at on report_event using brin (at);
alter table report_event enable row level security;
create policy report_event_scope on report_event to lis_app
  using ((select sees_all_rows()) or (select true from report p where p.id = report_event.report_id)) with check (true);
create policy all_rows on report_event to lis_all using (true) with check (true);
