-- Users
-- A session in which an administrator sees what another person sees. It ends with the session that opened it.
alter table session add column viewer_session_id uuid references session on delete cascade;
alter table session add column view_reason text;
alter table session add check ((viewer_session_id is null) = (view_reason is null));
create index session_viewer on session (viewer_session_id) where viewer_session_id is not null;

alter table access_log add column viewed_as_id int;
alter table access_log add column viewed_as_name text;
create index access_log_viewed_as on access_log (viewed_as_id, at) where viewed_as_id is not null;

create or replace function access_log_write(entries json) returns void language sql security definer set search_path = public, pg_temp as $$
  insert into access_log (at, user_id, user_name, user_role_code, viewed_as_id, viewed_as_name, method, route, request_id, requisition_ids, patient_ids)
  select e.at, e.user_id, e.user_name, e.user_role_code, e.viewed_as_id, e.viewed_as_name, e.method, e.route, e.request_id, e.requisition_ids,
    array(
      select unnest(e.patient_ids)
      union
      select r.patient_id from requisition r where r.id = any(e.requisition_ids)
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
    patient_ids bigint[])
  order by e.at $$;
