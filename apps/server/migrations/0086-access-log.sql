-- Every call that shows patient data leaves one row with all ids it gave out. The rows of before keep what they said: their action stands as the route.
alter table access_log add column user_name text, add column user_role_code text, add column method text not null default 'GET', add column route text,
  add column patient_ids bigint[] not null default '{}';
alter table access_log disable trigger access_log_append_only;
update access_log a set user_name = coalesce(u.first_name || ' ' || u.last_name, ''), user_role_code = coalesce(u.role_code, ''), route = a.action,
  patient_ids = array_remove(array[a.patient_id], null), requisition_ids = coalesce(a.requisition_ids, array_remove(array[a.requisition_id], null))
from access_log x left join app_user u on u.id = x.user_id where x.id = a.id;
alter table access_log enable trigger access_log_append_only;
alter table access_log drop column action, drop column patient_id, drop column requisition_id;
alter table access_log alter column user_name set not null, alter column user_role_code set not null, alter column route set not null,
  alter column requisition_ids set default '{}', alter column requisition_ids set not null, alter column method drop default;
create index on access_log using gin (patient_ids);
create index on access_log using gin (requisition_ids);
create index on access_log (request_id);
create index on access_log (at);

-- Many rows at once. It runs as the owner: the patient behind a requisition is found whoever has looked, and the server itself cannot write rows otherwise.
create function access_log_write(entries json) returns void language sql security definer set search_path = public, pg_temp as $$
  insert into access_log (at, user_id, user_name, user_role_code, method, route, request_id, requisition_ids, patient_ids)
  select e.at, e.user_id, e.user_name, e.user_role_code, e.method, e.route, e.request_id, e.requisition_ids,
    array(select unnest(e.patient_ids) union select r.patient_id from requisition r where r.id = any(e.requisition_ids) order by 1)
  from json_to_recordset(entries) as e(at timestamptz, user_id int, user_name text, user_role_code text, method text, route text, request_id uuid,
    requisition_ids bigint[], patient_ids bigint[]) order by e.at $$;
revoke insert on access_log from lis_app;
