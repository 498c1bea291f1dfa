-- Patients and requisitions
create table patient_merge (
  id bigint generated always as identity primary key,
  kept_id bigint not null references patient,
  gone_id bigint not null references patient,
  moved jsonb not null,  -- the ids of the records that were moved, by table
  kept_before jsonb not null,  -- fields of the kept record that were taken from the other one: before and after
  merged_by int references app_user,  -- null: a partner's message
  merged_at timestamptz not null default now(),
  undone_by int references app_user,
  undone_at timestamptz,
  check (kept_id <> gone_id),
  check (undone_at is not null or undone_by is null)
);
comment on table patient_merge is 'Two records of one patient that were made one: the other record is deleted, and its number leads to the kept one.';
create unique index patient_merge_gone on patient_merge (gone_id) where undone_at is null;
create index patient_merge_kept on patient_merge (kept_id);
alter table patient_merge enable row level security;
create policy all_rows on patient_merge to lis_all using (true) with check (true);

-- The record that a patient's number leads to today: its own, or the one it was merged into. As its owner: a number that somebody wrote
-- down must lead there for every role; what may be seen of it is decided afterwards.
create function current_patient_id(of_patient bigint) returns bigint language sql stable security definer set search_path = public, pg_temp as $$
  with recursive chain as (
    select of_patient as id, 0 as step
    union all
    select m.kept_id, c.step + 1 from chain c join patient_merge m on m.gone_id = c.id and m.undone_at is null
  )
  select id from chain order by step desc limit 1
$$;

-- Every number under which the history and the access log know this patient.
create function merged_patient_ids(of_patient bigint) returns bigint[] language sql stable security definer set search_path = public, pg_temp as $$
  with recursive tree as (
    select of_patient as id
    union all
    select m.gone_id from tree t join patient_merge m on m.kept_id = t.id and m.undone_at is null
  )
  select array_agg(id) from tree
$$;

-- An order that is saved while its patient is being merged belongs to the kept record. The lock waits for the merge.
create function requisition_current_patient() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform from patient p where p.id = new.patient_id for key share;
  new.patient_id := current_patient_id(new.patient_id);
  return new;
end $$;
create trigger requisition_current_patient before insert or update of patient_id on requisition
  for each row execute function requisition_current_patient();

-- Gives the requisitions of one record to another. Those that have been released keep the name and birth date under which they were reported.
create function move_requisitions(requisitions bigint[], from_patient bigint, to_patient bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  released int := (select sort_order from requisition_status_type where code = 'RELEASE');
  shown requisition_identity[];
begin
  shown := array(
    select row(r.id, p.first_name, p.middle_name, p.last_name, p.dob, coalesce(k.kept_at, now()))::requisition_identity
    from requisition r
    join requisition_patient p on p.requisition_id = r.id
    join requisition_status_type st on st.code = r.status_code
    left join requisition_identity k on k.requisition_id = r.id
    where r.id = any(requisitions) and r.patient_id = from_patient
      and (st.sort_order >= released
        or (has_been_out(r.id) and exists (
          select from requisition_status_event e
          join requisition_status_type t on t.code = e.to_code
          where e.requisition_id = r.id and t.sort_order >= released))));
  update requisition r set patient_id = to_patient, version = r.version + 1
  where r.id = any(requisitions) and r.patient_id = from_patient;
  insert into requisition_identity (requisition_id, first_name, middle_name, last_name, dob, kept_at)
  select s.requisition_id, s.first_name, s.middle_name, s.last_name, s.dob, s.kept_at
  from unnest(shown) s join patient p on p.id = to_patient
  where (single_spaced(s.first_name), single_spaced(s.middle_name), single_spaced(s.last_name), s.dob)
    is distinct from (single_spaced(p.first_name), single_spaced(p.middle_name), single_spaced(p.last_name), p.dob)
  on conflict do nothing;
  perform requisition_list_refresh(requisitions);
end $$;
revoke execute on function move_requisitions(bigint[], bigint, bigint) from public;
grant execute on function move_requisitions(bigint[], bigint, bigint) to lis_all;
