-- Requisition list
-- Compatible with the release before.
-- What is wanted from a practice: open issues and missing billing information, in each scope.
create index requisition_list_client_wanted on requisition_list (client_id, requisition_id)
  where open_issue_count > 0 or status_code = 'MISSBILL';
create index requisition_list_physician_wanted on requisition_list (physician_id, requisition_id)
  where open_issue_count > 0 or status_code = 'MISSBILL';
create index requisition_list_collaborator_wanted on requisition_list (collaborator_id, requisition_id)
  where open_issue_count > 0 or status_code = 'MISSBILL';
