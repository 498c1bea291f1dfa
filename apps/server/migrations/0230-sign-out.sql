-- Sign-out

-- The file that a version got when it was signed or released: with the signatures and the seal. The one it was made with stays.
create table report_version_file (
  id bigint generated always as identity primary key,
  report_id bigint not null,
  version_no int not null,
  file_id bigint not null references stored_file,
  created_by int references app_user,
  created_at timestamptz not null default now(),
  foreign key (report_id, version_no) references report_version
);
comment on table report_version_file is 'A file of a version of a report made at a signature or at its release; the latest one is shown and sent.';
create index on report_version_file (report_id, version_no, id);
create index on report_version_file (file_id);
alter table report_version_file enable row level security;
create policy report_version_file_scope on report_version_file to lis_app
  using ((select sees_all_rows()) or (select true from report p where p.id = report_version_file.report_id)) with check (true);
create policy all_rows on report_version_file to lis_all using (true) with check (true);
create trigger report_version_file_append_only before update or delete or truncate on report_version_file for each statement execute function refuse_change();
revoke update, delete, truncate on report_version_file from lis_app;

-- The file of a version: the latest one made at a signature or release, or else the one it was made with.
create function report_file(report bigint, version int, made bigint) returns bigint language sql stable
  return coalesce((select x.file_id from report_version_file x where x.report_id = report and x.version_no = version order by x.id desc limit 1), made);

create table report_signature (
  id bigint generated always as identity primary key,
  report_id bigint not null,
  version_no int not null,
  user_id int not null references app_user,
  lab_signer_id int not null references lab_signer,
  signer_name text not null,
  qualifications text not null,
  meaning_code text not null check (meaning_code in ('REVIEW', 'APPROVE', 'INTERPRET', 'AMEND')),
  signed_at timestamptz not null,
  signed_zone text not null,
  content jsonb not null,  -- what the signer saw; its hash is content_sha256
  content_sha256 bytea not null check (length(content_sha256) = 32),
  file_id bigint not null references stored_file,
  file_sha256 bytea not null check (length(file_sha256) = 32),
  foreign key (report_id, version_no) references report_version
);
comment on table report_signature is 'An electronic signature of a version of a report: who, when, with which meaning, and the hashes of what was signed.';
create index on report_signature (report_id, version_no);
create index on report_signature (file_id);
create index on report_signature (user_id);
create index on report_signature (lab_signer_id);
alter table report_signature enable row level security;
create policy report_signature_scope on report_signature to lis_app
  using ((select sees_all_rows()) or (select true from report p where p.id = report_signature.report_id)) with check (true);
create policy all_rows on report_signature to lis_all using (true) with check (true);
create trigger report_signature_append_only before update or delete or truncate on report_signature for each statement execute function refuse_change();
revoke update, delete, truncate on report_signature from lis_app;

create table report_signature_void (
  signature_id bigint primary key references report_signature,
  voided_at timestamptz not null default now(),
  voided_by int references app_user,
  reason text not null
);
comment on table report_signature_void is 'A signature that no longer holds, because a new version has replaced what was signed.';
alter table report_signature_void enable row level security;
create policy report_signature_void_scope on report_signature_void to lis_app
  using ((select sees_all_rows()) or (select true from report_signature s where s.id = report_signature_void.signature_id)) with check (true);
create policy all_rows on report_signature_void to lis_all using (true) with check (true);
create trigger report_signature_void_append_only before update or delete or truncate on report_signature_void for each statement execute function refuse_change();
revoke update, delete, truncate on report_signature_void from lis_app;

-- When the second factor is asked for again: not while a session goes on signing.
create table signing_session (
  session_id uuid primary key references session on delete cascade,
  signed_at timestamptz not null default now()
);
comment on table signing_session is 'When reports were last signed in a session; the next signature soon after needs no second factor.';

-- The reports that wait for a decision.
create index report_waiting on report (id) where lab_qc_status_code in ('PENDING', 'MD') and deleted_at is null;

alter table identity_challenge drop constraint identity_challenge_kind_check;
alter table identity_challenge add constraint identity_challenge_kind_check
  check (kind in ('SMS_MFA', 'SOFTWARE_TOKEN_MFA', 'NEW_PASSWORD_REQUIRED', 'MFA_SETUP', 'RESET', 'SIGN'));
