-- Interfaces
-- Where the results of an order go that this client or collaborator has sent over an interface: its address, '' for the receivers of the
-- settings, null when neither has sent it. As its owner: an outside person who changes a requisition sees no orders of interfaces.
create function order_sender(of_requisition bigint, of_client int, of_collaborator int) returns text
  language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(p.result_url, '')
  from interface_order o
  join interface_partner p on p.id = o.partner_id and p.kind = 'HL7' and p.is_active and p.deleted_at is null
  where o.requisition_id = of_requisition and (p.client_id = of_client or p.collaborator_id = of_collaborator)
  order by p.id limit 1
$$;
