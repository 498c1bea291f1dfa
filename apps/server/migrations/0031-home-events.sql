-- Foundation
-- An open Home reads again when anything that it counts has changed, whoever changed it. PostgreSQL sends equal notifications of a
-- transaction once. Reports, deliveries and issues change the row of their requisition in the list.
create function home_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('lis_events', '{"topic":"home","data":{}}');
  return null;
end $$;
create trigger home_changed after insert or update or delete on requisition_list for each statement execute function home_changed();
create trigger home_changed after insert or update or delete on report_upload_file for each statement execute function home_changed();
create trigger home_changed after insert or update or delete on billing_batch for each statement execute function home_changed();
create trigger home_changed after insert or update or delete on smart_filter for each statement execute function home_changed();
