-- Interfaces
-- FHIR names the system of a placer number, and searches by it.
alter table interface_order_item add column placer_system text;
