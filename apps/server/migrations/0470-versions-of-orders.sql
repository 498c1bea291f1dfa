-- Interfaces
-- Compatible with the release before.
-- How many changes the order had when its version was compared with the one that the sender names; null where it names none. More of them
-- when the message is processed: somebody has changed it in between.
alter table interface_message add column order_changes int;

-- Also those that were refused after their Task had been named.
create or replace function fhir_orders_of(of_api_client int)
  returns table (id bigint, state text, reason text, received_at timestamptz, settled_at timestamptz, control_id text, requisition_id bigint)
  language sql stable security definer set search_path = public, pg_temp as $$
  select m.id, m.state, m.reason, m.received_at, m.settled_at, m.control_id, m.requisition_id
  from interface_message m
  join interface_partner p on p.id = m.partner_id
  where p.api_client_id = of_api_client and m.kind = 'FHIR' and m.direction = 'IN'
    and (m.state <> 'REJECTED' or m.order_changes is not null)
$$;
