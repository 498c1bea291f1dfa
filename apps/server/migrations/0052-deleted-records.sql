-- What has been deleted
-- The list of deleted records is read newest first from all these tables at once. The indexes hold the deleted rows alone, which are few, so they cost
-- living rows nothing.
do $$ declare t text; begin
  foreach t in array array['requisition', 'document', 'payment', 'insurance', 'billing_note', 'client', 'client_physician', 'client_event', 'client_document',
    'client_test_price', 'physician', 'collaborator', 'collaborator_test_range', 'sales_person', 'app_user', 'smart_filter'] loop
    execute format('create index %I on %I (deleted_at) where deleted_at is not null', t || '_deleted', t);
  end loop;
end $$;
