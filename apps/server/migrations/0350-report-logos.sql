-- Logo and wording of a collaborator on reports

create table report_logo (
  id int generated always as identity primary key,
  picture bytea not null,  -- a JPEG
  created_at timestamptz not null default now()
);
comment on table report_logo is 'Every logo that reports have ever printed: a report names the one it was made with.';
create trigger report_logo_append_only before update or delete or truncate on report_logo for each statement execute function refuse_change();
alter table collaborator
  add column report_wording text,
  add column report_logo_id int references report_logo;
