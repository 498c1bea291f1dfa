-- The day of collection as the row of a load had it, in the zone of its client: a standing order uses its number again on another day
-- Null for what was not loaded, or before.
alter table requisition add column load_collected_on date;
