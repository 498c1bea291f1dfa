-- To whom a report was sent, by number
-- Neither a name nor an address tells whether the one who has an earlier version is still a receiver: the client (CLIENT, COPY) or the collaborator
-- (COLA) of a row of the ledger. What was sent before this went to who stands there now, if neither name nor address speaks against it; where they
-- do, it stays empty and counts as sent to a former receiver.
alter table report_delivery add column party_id int;
alter table report_delivery disable trigger user; -- the lists do not show it
update report_delivery d set party_id = x.id
from (select r.id as requisition_id, 'CLIENT' as kind, c.id, c.name, c.email, c.fax_email, c.legacy_client_id as code from requisition r join client c on c.id = r.client_id
  union all select r.id, 'COPY', c.id, c.name, c.email, c.fax_email, c.legacy_client_id from requisition r join client c on c.id = nullif(r.copy_to_client_id, r.client_id)
  union all select r.id, 'COLA', o.id, o.name, o.email, o.fax_email, o.alias from requisition r join collaborator o on o.id = r.collaborator_id) x
where x.requisition_id = d.requisition_id and x.kind = d.recipient_kind
  and (d.recipient_name is null or d.recipient_name = x.name or d.recipient in (x.email, x.fax_email, x.code));
alter table report_delivery enable trigger user;
