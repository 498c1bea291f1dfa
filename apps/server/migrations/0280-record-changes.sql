-- Interfaces
-- By name, so that they read all months of the audit: a body that PostgreSQL has parsed keeps to the table it was made with.
create or replace function record_changed_at(of_entity text, of_id bigint) returns timestamptz
  language sql stable security definer set search_path = public, pg_temp as $$
  select a.at from audit_entry a where a.entity = of_entity and a.entity_id = of_id order by a.chain_no desc limit 1
$$;

create or replace function requisition_changed_at(of_requisition bigint) returns timestamptz
  language sql stable security definer set search_path = public, pg_temp as $$
  select a.at from audit_entry a where a.requisition_id = of_requisition and a.action not in ('DOWNLOAD', 'VIEW')
  order by a.id desc limit 1
$$;
