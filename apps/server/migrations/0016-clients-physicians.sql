-- Clients and physicians
-- A second physician with the same NPI is asked about, not refused: one person may be kept twice, as two practices know them.
drop index physician_npi_key;
create index physician_npi on physician (npi_number) where deleted_at is null;
-- Whether a client is still in use must be known before it is deleted.
create index requisition_copy_to_client on requisition (copy_to_client_id) where copy_to_client_id is not null;
