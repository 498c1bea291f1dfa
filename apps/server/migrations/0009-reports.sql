-- Reports and delivery
create table report (                       -- a report of a requisition; its content is a version, so a correction keeps the original
  id bigint generated always as identity primary key, requisition_id bigint not null references requisition, current_version_no int not null default 1,
  lab_qc_status_code text not null default 'PENDING' check (lab_qc_status_code in ('PENDING','RELEASE','REPEAT','MD','HOLD')),
  qc_type_code text, review_at timestamptz, release_at timestamptz, repeat_at timestamptz,
  created_at timestamptz not null default now(), version int not null default 1, deleted_at timestamptz
);
create index on report (requisition_id);
create table report_version (
  report_id bigint not null references report, version_no int not null check (version_no >= 1), file_id bigint not null references stored_file,
  is_correction boolean not null default false, correction_reason text, created_by int references app_user, created_at timestamptz not null default now(),
  primary key (report_id, version_no), check (is_correction = (version_no > 1)), check (not is_correction or correction_reason is not null)
);
create trigger report_version_append_only before update or delete or truncate on report_version for each statement execute function refuse_change();
create table report_event (                 -- report history: uploaded, reviewed, released, repeated, delivered, viewed
  id bigint generated always as identity primary key, report_id bigint not null references report, version_no int, action_code text not null,
  actor_id int, at timestamptz not null default now()
);
create index on report_event (report_id, id);

create table outbox_message (               -- a row first, sent second
  id bigint generated always as identity primary key, channel text not null check (channel in ('EMAIL','SMS','FAX','HL7','PRINT')), recipient text not null,
  subject text, body text not null, attachment_ids bigint[] not null default '{}', dedupe_key text unique,
  state text not null default 'QUEUED' check (state in ('QUEUED','SENDING','SENT','FAILED','DEAD')), attempts int not null default 0,
  next_attempt_at timestamptz not null default now(), created_at timestamptz not null default now(), sent_at timestamptz
);
create index on outbox_message (next_attempt_at) where state in ('QUEUED','FAILED','SENDING');
create table outbox_attempt (
  id bigint generated always as identity primary key, message_id bigint not null references outbox_message, at timestamptz not null default now(),
  succeeded boolean not null, detail text
);
create index on outbox_attempt (message_id);
create table report_delivery (              -- the ledger: one row per report version, recipient and method
  id bigint generated always as identity primary key, requisition_id bigint not null references requisition, report_id bigint not null, report_version_no int not null,
  transmit_method_code text not null check (transmit_method_code in ('EMAIL','FAX','PORTAL','PRINT','HL7')), recipient text not null,
  message_id bigint references outbox_message, state text not null default 'PENDING' check (state in ('PENDING','DELIVERED','FAILED')),
  requested_by int references app_user, requested_at timestamptz not null default now(), delivered_at timestamptz, failure text,
  foreign key (report_id, report_version_no) references report_version (report_id, version_no), check ((state = 'DELIVERED') = (delivered_at is not null))
);
create index on report_delivery (requisition_id, delivered_at);
create index on report_delivery (message_id);
create table patient_notification (
  id bigint generated always as identity primary key, requisition_id bigint not null references requisition, message_id bigint references outbox_message,
  requested_by int references app_user, requested_at timestamptz not null default now()
);
create index on patient_notification (requisition_id);
