-- Deliveries
-- Compatible with the release before.
-- A failed delivery stays in the ledger after the report has arrived by another one. Late deliveries are then found without reading all of these.
alter table report_delivery add column is_superseded boolean not null default false;  -- a later one to the same kind of recipient arrived

create function report_delivery_supersede() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update report_delivery d
  set is_superseded = true
  where d.report_id = new.report_id and d.recipient_kind = new.recipient_kind and d.id < new.id
    and d.state <> 'DELIVERED' and not d.is_superseded;
  return null;
end $$;
create trigger superseded_ins after insert on report_delivery for each row
  when (new.delivered_at is not null) execute function report_delivery_supersede();
create trigger superseded_upd after update of delivered_at on report_delivery for each row
  when (new.delivered_at is not null and old.delivered_at is null) execute function report_delivery_supersede();

-- Marks the next rows from before this migration, and those that were loaded without triggers. Returns how many.
create function superseded_fill() returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  filled int;
begin
  with stale as (
    select d.id
    from report_delivery d
    where d.state = 'FAILED' and not d.is_superseded and exists (
      select from report_delivery later
      where later.report_id = d.report_id and later.recipient_kind = d.recipient_kind and later.delivered_at is not null and later.id > d.id)
    order by d.id
    limit 1000
    for no key update of d)
  update report_delivery d
  set is_superseded = true
  from stale
  where d.id = stale.id;
  get diagnostics filled = row_count;
  return filled;
end $$;
revoke execute on function superseded_fill() from public;
grant execute on function superseded_fill() to lis_app;

drop index report_delivery_late;
create index report_delivery_late on report_delivery (requested_at)
  where state <> 'DELIVERED' and (state = 'PENDING' or not is_superseded);
