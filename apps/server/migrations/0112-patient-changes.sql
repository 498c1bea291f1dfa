-- What a partner wants changed in the identity of a patient whom others share: decided by the laboratory.
create table patient_change (
  id bigint generated always as identity primary key, patient_id bigint not null references patient, requisition_id bigint not null references requisition,
  before jsonb not null, after jsonb not null, issue_id bigint references issue, requested_by int not null, requested_at timestamptz not null default now(),
  is_taken boolean, decided_by int, decided_at timestamptz, check ((is_taken is null) = (decided_at is null))
);
create index patient_change_open on patient_change (requisition_id) where is_taken is null;
alter table patient_change enable row level security;
create policy patient_change_scope on patient_change to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = patient_change.requisition_id)) with check (true);
