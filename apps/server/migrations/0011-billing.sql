-- Billing
create table billing (                      -- guarantor, one per requisition
  id bigint generated always as identity primary key, requisition_id bigint not null unique references requisition,
  relation_type_code text not null default 'SELF', guarantor_gender_code text, guarantor_first_name text,
  guarantor_middle_name text, guarantor_last_name text, guarantor_dob date, state_id int references state, city text, zip text, addr1 text, addr2 text,
  version int not null default 1
);
create table insurance (
  id bigint generated always as identity primary key, billing_id bigint not null references billing, patient_id bigint not null references patient,
  billing_order int not null check (billing_order between 1 and 4), bill_type_code text, insurance_company_id int references insurance_company,
  company_name text not null, company_no text, policy_holder text, policy_no text, group_no text, insured_dob date,
  version int not null default 1, created_at timestamptz not null default now(), deleted_at timestamptz
);
-- deferred: swapping primary and secondary in one transaction passes through a moment with two of the same
alter table insurance add constraint insurance_order_key exclude using btree (billing_id with =, billing_order with =) where (deleted_at is null) deferrable initially deferred;
create index on insurance (patient_id);
create table requisition_icd (requisition_id bigint not null references requisition, icd_id int not null references icd, primary key (requisition_id, icd_id));
create table billing_note (
  id bigint generated always as identity primary key, requisition_id bigint not null references requisition, note text not null,
  created_by int references app_user, created_at timestamptz not null default now(), deleted_at timestamptz
);
create index on billing_note (requisition_id);
create table payment (
  id bigint generated always as identity primary key, requisition_id bigint not null references requisition, payment_type_code text not null,
  payer_type_code text not null, payer text not null, amount numeric(12,2) not null check (amount <> 0), currency_code char(3) not null default 'USD',
  payment_note text not null, payment_date date not null, payment_no text not null, created_by int references app_user,
  created_at timestamptz not null default now(), version int not null default 1, deleted_at timestamptz
);
create index on payment (requisition_id);
create table billing_batch (
  id int generated always as identity primary key, bill_send_at timestamptz, record_count int not null default 0,
  send_status_code text not null default 'PENDING' check (send_status_code in ('PENDING','SENT','FAILED')), created_by int references app_user,
  created_at timestamptz not null default now(), version int not null default 1, deleted_at timestamptz
);
create table billing_batch_item (
  batch_id int not null references billing_batch, requisition_id bigint not null references requisition,
  is_open boolean not null default true,    -- closed when the batch is sent or the item is taken out again
  primary key (batch_id, requisition_id)
);
create unique index billing_batch_item_one_open on billing_batch_item (requisition_id) where is_open;
create index on billing_batch_item (requisition_id);
