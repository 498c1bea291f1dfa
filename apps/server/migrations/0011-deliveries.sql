-- Deliveries

create table report_delivery (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  report_id bigint not null,
  report_version_no int not null,
  transmit_method_code text not null check (transmit_method_code in ('EMAIL', 'FAX', 'PORTAL', 'PRINT', 'HL7')),
  recipient_kind text not null default 'CLIENT' check (recipient_kind in ('CLIENT', 'COLA', 'COPY')),
  party_id int,  -- the client (CLIENT, COPY) or collaborator (COLA) it was sent to
  recipient_name text,
  recipient text not null,
  message_id bigint references outbox_message,
  sha256 bytea,  -- of the very bytes that were handed over
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED')),
  requested_by int references app_user,
  requested_at timestamptz not null default now(),
  sent_at timestamptz,  -- handed over
  confirmed_at timestamptz,  -- acknowledged by the other side
  opened_at timestamptz,  -- looked at
  delivered_at timestamptz,
  answer text,  -- what the other side said
  failure text,
  is_correction boolean not null default false,
  resend_of_id bigint references report_delivery,
  is_dropped boolean not null default false,  -- it failed, and its recipient no longer gets the reports
  foreign key (report_id, report_version_no) references report_version (report_id, version_no),
  check ((state = 'DELIVERED') = (delivered_at is not null))
);
comment on table report_delivery is 'The ledger of deliveries: one row per report version, recipient and method.';
create index on report_delivery (requisition_id, delivered_at);
create index on report_delivery (message_id);
-- Requested twice, sent once: while one is on its way there is no second to the same place.
create unique index report_delivery_open on report_delivery (report_id, report_version_no, transmit_method_code, recipient) where state = 'PENDING';
create index report_delivery_late on report_delivery (requested_at) where state <> 'DELIVERED';
create index on report_delivery (report_id, report_version_no);
alter table report_delivery enable row level security;
create policy report_delivery_scope on report_delivery to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = report_delivery.requisition_id))
  with check (true);
create policy all_rows on report_delivery to lis_all using (true) with check (true);

create table patient_notification (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  message_id bigint references outbox_message,
  requested_by int references app_user,
  requested_at timestamptz not null default now()
);
comment on table patient_notification is 'A notification that a patient was sent about a requisition.';
create index on patient_notification (requisition_id);
create index on patient_notification (message_id);
alter table patient_notification enable row level security;
create policy patient_notification_scope on patient_notification to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = patient_notification.requisition_id))
  with check (true);
create policy all_rows on patient_notification to lis_all using (true) with check (true);
