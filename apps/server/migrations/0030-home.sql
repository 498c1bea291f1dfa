-- Patients and requisitions
-- Home: how long open requisitions have been in their status, and what somebody has worked on lately.
create index requisition_open_since on requisition (status_code, status_at)
  where deleted_at is null and status_code in ('LOG', 'ACC', 'PROCESS', 'RESULT', 'REPORT', 'RELEASE', 'DELIVER');
create index audit_entry_by_actor on audit_entry (actor_id, id) where requisition_id is not null;
