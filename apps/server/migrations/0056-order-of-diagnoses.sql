-- The diagnosis that was added first is the principal one of a claim
-- Rows that are there already are numbered as they lie in the table, which is the order they were written in. The table is written anew
-- for this, once: 2,000,000 rows (a million requisitions) took 15 s on two processors with other work.
alter table requisition_icd add column added_order bigint generated always as identity;
