-- Billing

create table billing (
  id bigint generated always as identity primary key,
  requisition_id bigint not null unique references requisition,
  relation_type_code text not null default 'SELF',
  guarantor_gender_code text,
  guarantor_first_name text,
  guarantor_middle_name text,
  guarantor_last_name text,
  guarantor_dob date,
  state_id int references state,
  city text,
  zip text,
  addr1 text,
  addr2 text,
  version int not null default 1
);
comment on table billing is 'The guarantor of a requisition.';
alter table billing enable row level security;
create policy billing_scope on billing to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = billing.requisition_id)) with check (true);
create policy all_rows on billing to lis_all using (true) with check (true);

create table insurance (
  id bigint generated always as identity primary key,
  billing_id bigint not null references billing,
  patient_id bigint not null references patient,
  billing_order int not null check (billing_order between 1 and 4),
  bill_type_code text,
  insurance_company_id int references insurance_company,
  company_name text not null,
  company_no text,
  policy_holder text,
  policy_no text,
  group_no text,
  insured_dob date,
  version int not null default 1,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  -- Deferred: swapping two of them in one transaction passes through a moment with two of the same order.
  constraint insurance_order_key exclude using btree (billing_id with =, billing_order with =) where (deleted_at is null) deferrable initially deferred
);
comment on table insurance is 'An insurance of a requisition, first to fourth in the order of billing.';
create index on insurance (patient_id);
create index insurance_deleted on insurance (deleted_at) where deleted_at is not null;
alter table insurance enable row level security;
create policy insurance_scope on insurance to lis_app
  using ((select sees_all_rows()) or (select true from billing p where p.id = insurance.billing_id)) with check (true);
create policy all_rows on insurance to lis_all using (true) with check (true);

create table requisition_icd (
  requisition_id bigint not null references requisition,
  icd_id int not null references icd,
  added_order bigint generated always as identity,  -- the diagnosis that was added first is the principal one of a claim
  primary key (requisition_id, icd_id)
);
comment on table requisition_icd is 'A diagnosis of a requisition.';
alter table requisition_icd enable row level security;
create policy requisition_icd_scope on requisition_icd to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = requisition_icd.requisition_id))
  with check (true);
create policy all_rows on requisition_icd to lis_all using (true) with check (true);

create table billing_note (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  note text not null,
  created_by int references app_user,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
comment on table billing_note is 'A note of billing on a requisition.';
create index on billing_note (requisition_id);
create index billing_note_deleted on billing_note (deleted_at) where deleted_at is not null;
alter table billing_note enable row level security;
create policy billing_note_scope on billing_note to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = billing_note.requisition_id)) with check (true);
create policy all_rows on billing_note to lis_all using (true) with check (true);

create table payment (
  id bigint generated always as identity primary key,
  requisition_id bigint not null references requisition,
  payment_type_code text not null,
  payer_type_code text not null,
  payer text not null,
  amount numeric(12,2) not null check (amount <> 0),
  currency_code char(3) not null default 'USD',
  payment_note text not null,
  payment_date date not null,
  payment_no text not null,
  created_by int references app_user,
  created_at timestamptz not null default now(),
  version int not null default 1,
  deleted_at timestamptz
);
comment on table payment is 'A payment or correction for a requisition.';
create index on payment (requisition_id);
create index payment_deleted on payment (deleted_at) where deleted_at is not null;
alter table payment enable row level security;
create policy payment_scope on payment to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = payment.requisition_id)) with check (true);
create policy all_rows on payment to lis_all using (true) with check (true);

create table billing_batch (
  id int generated always as identity primary key,
  bill_send_at timestamptz,
  record_count int not null default 0,
  send_status_code text not null default 'PENDING' check (send_status_code in ('PENDING', 'SENT', 'FAILED')),
  created_by int references app_user,
  created_at timestamptz not null default now(),
  version int not null default 1,
  deleted_at timestamptz
);
comment on table billing_batch is 'Requisitions that are sent to billing together.';

create table billing_batch_item (
  batch_id int not null references billing_batch,
  requisition_id bigint not null references requisition,
  is_open boolean not null default true,  -- closed when the batch is sent or the item is taken out again
  bill_type_code text,  -- who paid, at sending
  left_out text,  -- why it was taken out of the batch
  primary key (batch_id, requisition_id)
);
comment on table billing_batch_item is 'A requisition in a billing batch.';
-- A requisition is in one open batch at most.
create unique index billing_batch_item_one_open on billing_batch_item (requisition_id) where is_open;
create index on billing_batch_item (requisition_id);
-- Billing users see the requisitions that are in a batch.
create policy of_billing on requisition to lis_billing
  using (coalesce((select true from billing_batch_item i where i.requisition_id = requisition.id and i.left_out is null limit 1), false))
  with check (true);

create table billing_charge (
  batch_id int not null,
  requisition_id bigint not null,
  test_id int not null references test,
  amount numeric(12,2) not null check (amount >= 0),
  currency_code char(3) not null,
  primary key (batch_id, requisition_id, test_id),
  foreign key (batch_id, requisition_id) references billing_batch_item
);
comment on table billing_charge is 'What was billed for a test, frozen: prices change later, bills do not.';
create index on billing_charge (requisition_id);
alter table billing_charge enable row level security;
create policy billing_charge_scope on billing_charge to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = billing_charge.requisition_id))
  with check (true);
create policy all_rows on billing_charge to lis_all using (true) with check (true);

create table billing_batch_file (
  batch_id int not null references billing_batch,
  file_id bigint not null references stored_file,
  primary key (batch_id, file_id)
);
comment on table billing_batch_file is 'A file that was sent with a billing batch.';
