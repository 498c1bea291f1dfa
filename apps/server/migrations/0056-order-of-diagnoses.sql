-- The diagnosis that was added first is the principal one of a claim
-- Rows that are there already are numbered as they lie in the table, which is the order they were written in. It is written anew for this:
-- 1,700,000 rows (a million requisitions) take seconds.
alter table requisition_icd add column added_order bigint generated always as identity;
