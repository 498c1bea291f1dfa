-- Interfaces
-- A held order has no requisition yet: its number at the sender is that of the message.
alter table interface_message add column ext_order_id text;

create or replace function webhook_of_order() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform webhook_announce(case new.state when 'HELD' then 'order.held' else 'order.accepted' end, new.requisition_id,
    coalesce(r.client_id, p.client_id), coalesce(r.collaborator_id, p.collaborator_id, c.collaborator_id),
    jsonb_build_object('messageId', new.id, 'reqId', r.id, 'reqStatusCode', r.status_code, 'extOrderId', coalesce(r.ext_order_id, new.ext_order_id)))
  from interface_partner p
  left join client c on c.id = p.client_id
  left join requisition r on r.id = new.requisition_id
  where p.id = new.partner_id;
  return null;
end $$;
