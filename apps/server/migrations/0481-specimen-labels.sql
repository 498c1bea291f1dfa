-- Specimens
-- Compatible with the release before.
-- The suffix of the label with which the tube was received, empty for the plain accession number; null for a receipt without a scan.
alter table specimen add column label_suffix text;
