-- Laboratories
-- Compatible with the release before.
-- What the entry said, so that another one with the same number is told from a repeat. Null for those that were entered earlier.
alter table downtime_entry add column entry_hash text;
