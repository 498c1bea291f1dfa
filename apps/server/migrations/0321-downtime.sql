-- Laboratories
create table downtime_kit (
  id int generated always as identity primary key,
  lab_id int not null references lab,
  object_key text not null,
  sha256 text not null,
  made_at timestamptz not null default now()
);
comment on table downtime_kit is 'The encrypted file with which a laboratory works while the server is down.';
create index on downtime_kit (lab_id, id);

create table downtime_entry (
  lab_id int not null references lab,
  entry_id text not null,
  requisition_id bigint not null references requisition,
  kind text not null check (kind in ('RECEIVED', 'RESULT', 'NOTE')),
  entered_by int not null references app_user,
  entered_at timestamptz not null default now(),
  primary key (lab_id, entry_id)
);
comment on table downtime_entry is 'What was written down while the server was down and has been entered since, each entry once.';
create index on downtime_entry (requisition_id);
alter table downtime_entry enable row level security;
create policy downtime_entry_scope on downtime_entry to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = downtime_entry.requisition_id)) with check (true);
create policy all_rows on downtime_entry to lis_all using (true) with check (true);
