-- What a partner wants changed in the identity of a patient whom others share: decided by the laboratory.
create table patient_change (
  id bigint generated always as identity primary key, patient_id bigint not null references patient, requisition_id bigint not null references requisition,
  before jsonb not null, after jsonb not null, issue_id bigint references issue, requested_by int not null, requested_at timestamptz not null default now(),
  is_taken boolean, decided_by int, decided_at timestamptz, check ((is_taken is null) = (decided_at is null))
);
create index patient_change_open on patient_change (requisition_id) where is_taken is null;
