-- Users
-- Compatible with the release before.
-- The records that the undo of an action put back: what it had found them as, and what they are now. An earlier action on them can then
-- be undone too.
alter table undo_action add column restored jsonb;
