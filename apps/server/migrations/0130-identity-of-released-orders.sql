-- What an order says of its patient is kept from Released on, not only from Delivered on, and a correction keeps it: an order that has been
-- Released and goes back into work says the same until its patient is edited in the order itself. Released orders followed the record until
-- now, so there is nothing to fill in.

-- A report of it has been out. Partial reports count here too.
create function has_been_out(requisition bigint) returns boolean language sql stable
  return exists (select from report p where p.requisition_id = requisition and p.deleted_at is null and coalesce(p.first_release_at, p.release_at) is not null);

create or replace function requisition_identity_keep() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare released int := (select sort_order from requisition_status_type where code = 'RELEASE');
begin
  insert into requisition_identity (requisition_id, first_name, middle_name, last_name, dob)
    select r.id, old.first_name, old.middle_name, old.last_name, old.dob from requisition r join requisition_status_type st on st.code = r.status_code
    where r.patient_id = old.id and r.deleted_at is null and (st.sort_order >= released
      or (has_been_out(r.id) and exists (select from requisition_status_event e join requisition_status_type t on t.code = e.to_code
        where e.requisition_id = r.id and t.sort_order >= released)))
    on conflict do nothing;
  return new;
end $$;

create or replace function requisition_identity_drop() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
  delete from requisition_identity k using requisition_status_type st where k.requisition_id = new.id and st.code = new.status_code
    and (new.patient_id <> old.patient_id
      or (st.sort_order < (select sort_order from requisition_status_type where code = 'RELEASE') and not has_been_out(new.id)));
  return null;
end $$;

-- When the patient is edited in the order itself, the order says what the record says now. The policy of the table limits it to one's own orders.
grant delete on requisition_identity to lis_app;
create function requisition_identity_gone() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$ begin
  perform requisition_list_refresh(array[old.requisition_id]);
  return null;
end $$;
create trigger requisition_identity_gone after delete on requisition_identity for each row execute function requisition_identity_gone();
