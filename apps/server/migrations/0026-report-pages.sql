-- Reports pages
-- A report asks for the rows of a period. These grow in the order of time, so a few kilobytes of BRIN find their pages; a tree would cost every write.
create index requisition_status_event_at on requisition_status_event using brin (at);
create index specimen_received_at on specimen using brin (received_at);
create index requisition_test_process_date on requisition_test using brin (process_date);
create index report_event_at on report_event using brin (at);
