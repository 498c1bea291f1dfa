-- What each row of a load looks for
-- Its client by Client ID and an order of that client with the same order id, whatever their case. Without an index a load of orders read all
-- requisitions for every row: 35 ms of 45 at 100,000 requisitions.
create index client_legacy_id_any_case on client (upper(legacy_client_id)) where deleted_at is null;
create index requisition_client_order on requisition (client_id, lower(ext_order_id))
  where ext_order_id is not null and deleted_at is null;
-- A client of the same name, as people compare names; the name of each was made comparable for every row.
create index client_bare_name on client (regexp_replace(sort_key(name), '[[:punct:][:space:]]+', '', 'g')) where deleted_at is null;
