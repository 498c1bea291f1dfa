-- Loads of results
-- Each ordered test is written again when its result comes. With room on its page that leaves the four indexes alone (HOT).
alter table requisition_test set (fillfactor = 75);

-- What the list shows of tests is their codes, and whether some of them still wait although there is a report. So a result entered before the first
-- report, which is nearly every one, changes nothing. Its list row is locked all the same before reports are looked for: whoever adds the first one
-- at the same moment waits for us, or we for them.
create function requisition_list_touch_tests() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare ids bigint[]; resulted bigint[];
begin
  ids := array(select x.requisition_id from new_rows n join old_rows o on o.id = n.id cross join lateral (values (n.requisition_id), (o.requisition_id)) x(requisition_id)
    where (n.requisition_id, n.test_id, n.deleted_at, n.is_retest) is distinct from (o.requisition_id, o.test_id, o.deleted_at, o.is_retest) group by 1);
  resulted := array(select n.requisition_id from new_rows n join old_rows o on o.id = n.id where (n.result is null) <> (o.result is null) group by 1);
  if cardinality(resulted) > 0 then
    perform 1 from requisition_list where requisition_id = any(resulted) order by requisition_id for no key update;
    ids := ids || array(select distinct requisition_id from report where requisition_id = any(resulted) and deleted_at is null);
  end if;
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
drop trigger requisition_list_upd on requisition_test;
create trigger requisition_list_upd after update on requisition_test referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_tests();

-- A move changes the status and nothing else the list shows; everything but the status is worked out anew only when it can have changed.
create function requisition_list_touch_moved() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare ids bigint[]; moved bigint[];
begin
  moved := array(select n.id from new_rows n join old_rows o on o.id = n.id
    where n.status_code <> o.status_code
      and (n.client_id, n.collaborator_id, n.physician_id, n.copy_physician_id, n.lab_id, n.patient_id, n.event_id, n.collected_at, n.collected_zone, n.logged_at,
           n.bill_type_code, n.is_send_notif, n.is_dem_qc_pass, n.ext_order_id, n.deleted_at)
        is not distinct from
          (o.client_id, o.collaborator_id, o.physician_id, o.copy_physician_id, o.lab_id, o.patient_id, o.event_id, o.collected_at, o.collected_zone, o.logged_at,
           o.bill_type_code, o.is_send_notif, o.is_dem_qc_pass, o.ext_order_id, o.deleted_at));
  if cardinality(moved) > 0 then
    perform 1 from requisition_list where requisition_id = any(moved) order by requisition_id for no key update;
    update requisition_list l set status_code = n.status_code, tab_code = st.tab_code
      from new_rows n join requisition_status_type st on st.code = n.status_code where l.requisition_id = n.id and n.id = any(moved);
  end if;
  ids := array(select id from new_rows where id <> all(moved));
  if cardinality(ids) > 0 then perform requisition_list_refresh(ids); end if;
  return null;
end $$;
drop trigger requisition_list_upd on requisition;
create trigger requisition_list_upd after update on requisition referencing old table as old_rows new table as new_rows
  for each statement execute function requisition_list_touch_moved();
