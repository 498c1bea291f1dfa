-- Audit
-- Compatible with the release before.
-- The patients of requisitions are looked up, unless the reply named the patient of each.
create or replace function access_log_write(entries json) returns void language sql security definer set search_path = public, pg_temp as $$
  insert into access_log (at, user_id, user_name, user_role_code, viewed_as_id, viewed_as_name, method, route, request_id, requisition_ids, patient_ids)
  select e.at, e.user_id, e.user_name, e.user_role_code, e.viewed_as_id, e.viewed_as_name, e.method, e.route, e.request_id, e.requisition_ids,
    array(
      select unnest(e.patient_ids)
      union
      select r.patient_id from requisition r where e.names_patients is not true and r.id = any(e.requisition_ids)
      order by 1)
  from json_to_recordset(entries) as e(
    at timestamptz,
    user_id int,
    user_name text,
    user_role_code text,
    viewed_as_id int,
    viewed_as_name text,
    method text,
    route text,
    request_id uuid,
    requisition_ids bigint[],
    patient_ids bigint[],
    names_patients boolean)
  order by e.at $$;
