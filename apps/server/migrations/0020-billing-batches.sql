-- Claims, invoices and what they charged
alter table test add column cpt_code text check (cpt_code ~ '^[0-9A-Z]{5}$');      -- the procedure that a claim names; without one a test cannot be claimed
-- At sending: who paid then, or why it was taken out of the batch again.
alter table billing_batch_item add column bill_type_code text, add column left_out text;
create table billing_charge (               -- what was billed, frozen: prices change later, bills do not
  batch_id int not null, requisition_id bigint not null, test_id int not null references test,
  amount numeric(12,2) not null check (amount >= 0), currency_code char(3) not null,
  primary key (batch_id, requisition_id, test_id), foreign key (batch_id, requisition_id) references billing_batch_item
);
create index on billing_charge (requisition_id);
create table billing_batch_file (           -- what was sent, byte by byte
  batch_id int not null references billing_batch, file_id bigint not null references stored_file, primary key (batch_id, file_id)
);
