-- Interfaces
-- An export says up to when it is complete: a change that is still being made has the time of its beginning and is not seen yet.
create function oldest_write_at() returns timestamptz
  language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select least(clock_timestamp(), min(a.xact_start)) from pg_stat_activity a
  where a.datname = current_database() and a.backend_xid is not null and a.pid <> pg_backend_pid()
$$;
