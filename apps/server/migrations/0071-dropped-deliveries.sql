-- What could not reach one who no longer gets the reports is marked in the ledger itself
-- Looked up in the audit, as it was, every such row would be looked up again each time the work list is opened, for ever.
alter table report_delivery add column is_dropped boolean not null default false;
update report_delivery d set is_dropped = true from requisition q join collaborator o on o.id = q.collaborator_id
where q.id = d.requisition_id and d.state <> 'DELIVERED' and d.recipient_kind <> 'COPY' and not d.is_correction
  and coalesce(o.report_deliver_to_code, 'CLIENT') not in (d.recipient_kind, 'BOTH')
  and (exists (select from audit_entry a where a.entity = 'collaborator' and a.entity_id = o.id and a.at >= d.requested_at
      and a.old_data ->> 'reportDeliverToCode' is distinct from a.new_data ->> 'reportDeliverToCode')
    or exists (select from audit_entry a where a.requisition_id = q.id and a.entity = 'requisition' and a.at >= d.requested_at and a.old_data ? 'colaName'));
