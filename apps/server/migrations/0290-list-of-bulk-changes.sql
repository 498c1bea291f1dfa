-- Requisitions
-- The rows of a statement before and after it are compared by a full join, which is never a nested loop: they have no index, and a plan
-- that was made for a few of them is kept for thousands. The audit switches nested loops off for the same reason; here that would also
-- change how the list itself is found.
create or replace function requisition_list_touch_moved() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  moved bigint[];
begin
  moved := array(
    select n.id
    from new_rows n
    full join old_rows o on o.id = n.id
    where n.status_code is distinct from o.status_code and not (is_turning(n.status_code) and not is_turning(o.status_code))
      and (n.client_id, n.collaborator_id, n.physician_id, n.copy_physician_id, n.copy_to_client_id, n.lab_id, n.patient_id, n.event_id,
           n.collected_at, n.collected_zone, n.logged_at, n.bill_type_code, n.is_send_notif, n.is_dem_qc_pass, n.ext_order_id, n.deleted_at)
        is not distinct from
          (o.client_id, o.collaborator_id, o.physician_id, o.copy_physician_id, o.copy_to_client_id, o.lab_id, o.patient_id, o.event_id,
           o.collected_at, o.collected_zone, o.logged_at, o.bill_type_code, o.is_send_notif, o.is_dem_qc_pass, o.ext_order_id, o.deleted_at));
  if cardinality(moved) > 0 then
    perform turnaround_lock_shared();
    perform 1 from requisition_list where requisition_id = any(moved) order by requisition_id for no key update;
    update requisition_list l
    set status_code = n.status_code, tab_code = st.tab_code,
      late_order = late_order(n.status_code, greatest(n.status_at, l.received_at), l.due_at)
    from new_rows n
    join requisition_status_type st on st.code = n.status_code
    where l.requisition_id = n.id and n.id = any(moved);
  end if;
  ids := array(select id from new_rows where id <> all(moved));
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;

create or replace function requisition_list_touch_tests() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  ids bigint[];
  resulted bigint[];
begin
  ids := array(
    select x.requisition_id
    from new_rows n
    full join old_rows o on o.id = n.id
    cross join lateral (values (n.requisition_id), (o.requisition_id)) x(requisition_id)
    where (n.requisition_id, n.test_id, n.panel_id, n.deleted_at, n.is_retest)
      is distinct from (o.requisition_id, o.test_id, o.panel_id, o.deleted_at, o.is_retest)
    group by 1);
  resulted := array(
    select n.requisition_id
    from new_rows n
    full join old_rows o on o.id = n.id
    where (n.result is null) <> (o.result is null)
    group by 1);
  if cardinality(resulted) > 0 then
    perform 1 from requisition_list where requisition_id = any(resulted) order by requisition_id for no key update;
    ids := ids || array(select distinct requisition_id from report where requisition_id = any(resulted) and deleted_at is null);
  end if;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;

create or replace function requisition_list_touch_left_out() returns trigger language plpgsql as $$
declare
  ids bigint[];
begin
  ids := array(
    select distinct n.requisition_id
    from new_rows n
    full join old_rows o using (batch_id, requisition_id)
    where n.left_out is distinct from o.left_out);
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
