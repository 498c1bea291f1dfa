-- Interfaces
-- A partner may know a patient by several numbers: the results of an order go back under the one that it named.
alter table interface_order add column patient_identifier text, add column patient_authority text;
