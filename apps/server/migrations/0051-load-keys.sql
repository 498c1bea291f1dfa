-- What a load brought and somebody deleted can be loaded again
-- The key of a row is taken while its requisition stands; a deleted one keeps its own for the day it is restored, which is refused when the row has been
-- loaded again meanwhile.
alter table requisition drop constraint requisition_load_key_key;
create unique index requisition_load_key on requisition (load_key) where load_key is not null and deleted_at is null;
