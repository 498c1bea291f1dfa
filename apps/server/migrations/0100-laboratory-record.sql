-- Laboratories

alter table lab
  add column addr1 text,
  add column addr2 text,
  add column city text,
  add column state_id int references state,
  add column country_id int references country,
  add column zip text,
  add column phone text check (phone ~ '^[0-9]{7,15}$'),
  add column clia_number text check (clia_number ~ '^[0-9]{2}D[0-9]{7}$'),
  add column director_name text,
  add column is_signature_required boolean not null default false;

create table lab_accreditation (
  lab_id int not null references lab,
  position int not null,
  body_name text not null,
  accreditation_number text not null,
  valid_to date,
  primary key (lab_id, position)
);
comment on table lab_accreditation is 'An accreditation of a laboratory, in the order in which its reports name them.';

create table lab_signer (
  id int generated always as identity primary key,
  lab_id int not null references lab,
  user_id int not null references app_user,
  qualifications text not null,
  identity_checked_by text not null,  -- who saw proof of the identity, 21 CFR 11.100(b)
  valid_from date not null,
  valid_to date,  -- the last day; null while it is open
  granted_by int not null references app_user,
  granted_at timestamptz not null default now(),
  version int not null default 1,
  check (valid_to >= valid_from)
);
comment on table lab_signer is 'The right of a user to sign reports of a laboratory; it ends by a date and is never deleted.';
create index on lab_signer (user_id, lab_id);
create index on lab_signer (lab_id);

create table lab_signer_department (
  lab_signer_id int not null references lab_signer,
  department_id int not null references department,
  primary key (lab_signer_id, department_id)
);
comment on table lab_signer_department is 'A department to which the right to sign is limited; without one it covers all.';
create index on lab_signer_department (department_id);
