-- Interfaces
-- FHIR: when a record has changed, which partner's order and number belong to what a caller may see, and the pages of sorted searches.

-- When a record was last changed. As its owner: a caller may see a patient and not all entries about them, and must learn only the time.
create function record_changed_at(of_entity text, of_id bigint) returns timestamptz
  language sql stable security definer set search_path = public, pg_temp
  return (select a.at from audit_entry a where a.entity = of_entity and a.entity_id = of_id order by a.chain_no desc limit 1);

-- When anything of a requisition was last changed. Reading a report changes nothing.
create function requisition_changed_at(of_requisition bigint) returns timestamptz
  language sql stable security definer set search_path = public, pg_temp
  return (select a.at from audit_entry a where a.requisition_id = of_requisition and a.action not in ('DOWNLOAD', 'VIEW')
    order by a.id desc limit 1);

-- What an order was called by the system that sent it is seen with the requisition; its number for a patient with one of their requisitions.
create policy interface_order_item_scope on interface_order_item to lis_app
  using ((select sees_all_rows()) or (select true from requisition r where r.id = interface_order_item.requisition_id));
create policy interface_patient_scope on interface_patient to lis_app
  using ((select sees_all_rows()) or exists (select from requisition r where r.patient_id = interface_patient.patient_id and r.deleted_at is null));

-- The orders that an API client has sent and that wait for a person, or did. Without what they hold.
create function fhir_orders_of(of_api_client int)
  returns table (id bigint, state text, reason text, received_at timestamptz, settled_at timestamptz, control_id text, requisition_id bigint)
  language sql stable security definer set search_path = public, pg_temp as $$
  select m.id, m.state, m.reason, m.received_at, m.settled_at, m.control_id, m.requisition_id
  from interface_message m
  join interface_partner p on p.id = m.partner_id
  where p.api_client_id = of_api_client and m.kind = 'FHIR' and m.direction = 'IN' and m.state <> 'REJECTED'
$$;

create table fhir_page (
  id uuid primary key default gen_random_uuid(),
  user_id int not null references app_user,
  resource_type text not null,
  keys bigint[] not null,
  created_at timestamptz not null default now()
);
comment on table fhir_page is 'What a sorted FHIR search found, in its order, so that its later pages neither repeat nor lose a row while data changes.';
create index fhir_page_created on fhir_page (created_at);
