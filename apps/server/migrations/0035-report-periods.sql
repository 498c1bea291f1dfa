-- The period of a report
-- A requisition's history is loaded together (imports, demo), and its steps lie weeks apart: a block range of the BRIN index then covers nearly every
-- month, and a report over one month read three quarters of the table (4 s at 1,000,000 requisitions). In a tree with what the reports ask for, the
-- month is read from the index alone.
drop index requisition_status_event_at;
create index requisition_status_event_at on requisition_status_event (at) include (requisition_id, to_code);
-- Few requisitions ever missed billing information; which ones they are took a walk through all steps.
create index requisition_status_event_missbill on requisition_status_event (requisition_id) where to_code = 'MISSBILL';
