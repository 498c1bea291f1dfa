-- Users
-- Servers keep the people behind recent sessions in memory. Each change of what they keep is announced when it is committed: the ids of
-- the users concerned, or '*' for everyone. Triggers, so that no way of changing it is forgotten, not even a statement by hand.
create function announce_session_users(ids int[]) returns void language plpgsql as $$
begin
  if cardinality(ids) > 0 then
    perform pg_notify('lis_sessions', case when cardinality(ids) > 200 then '*' else array_to_string(ids, ',') end);
  end if;
end $$;

-- A session that is seen again lasts longer, which a server that does not know it yet will find out by itself.
create function session_changed() returns trigger language plpgsql as $$
begin
  perform announce_session_users(array(
    select distinct o.user_id
    from old_rows o
    left join new_rows n on n.id = o.id
    where n.id is null or n.last_seen_at < o.last_seen_at
      or (n.token_hash, n.user_id, n.token_expires_at, n.absolute_expires_at, n.ended_at)
        is distinct from (o.token_hash, o.user_id, o.token_expires_at, o.absolute_expires_at, o.ended_at)));
  return null;
end $$;
create trigger session_changed after update on session referencing old table as old_rows new table as new_rows
  for each statement execute function session_changed();

create function session_deleted() returns trigger language plpgsql as $$
begin
  perform announce_session_users(array(select distinct user_id from old_rows));
  return null;
end $$;
create trigger session_deleted after delete on session referencing old table as old_rows
  for each statement execute function session_deleted();

create function session_user_changed() returns trigger language plpgsql as $$
begin
  perform announce_session_users(array(
    select n.id
    from new_rows n
    join old_rows o on o.id = n.id
    where (n.user_name, n.first_name, n.last_name, n.role_code, n.status_code, n.deleted_at,
           n.client_id, n.collaborator_id, n.physician_id, n.sales_person_id, n.lab_id)
      is distinct from
          (o.user_name, o.first_name, o.last_name, o.role_code, o.status_code, o.deleted_at,
           o.client_id, o.collaborator_id, o.physician_id, o.sales_person_id, o.lab_id)));
  return null;
end $$;
create trigger session_user_changed after update on app_user referencing old table as old_rows new table as new_rows
  for each statement execute function session_user_changed();

create function session_department_added() returns trigger language plpgsql as $$
begin
  perform announce_session_users(array(select distinct user_id from new_rows));
  return null;
end $$;
create function session_department_removed() returns trigger language plpgsql as $$
begin
  perform announce_session_users(array(select distinct user_id from old_rows));
  return null;
end $$;
create trigger session_department_added after insert on app_user_department referencing new table as new_rows
  for each statement execute function session_department_added();
create trigger session_department_removed after delete on app_user_department referencing old table as old_rows
  for each statement execute function session_department_removed();

-- The scope of sales people: their clients, and those of everyone who reports to them.
create function session_clients_added() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows) then perform pg_notify('lis_sessions', '*'); end if;
  return null;
end $$;
create function session_clients_removed() returns trigger language plpgsql as $$
begin
  if exists (select from old_rows) then perform pg_notify('lis_sessions', '*'); end if;
  return null;
end $$;
create function session_clients_changed() returns trigger language plpgsql as $$
begin
  if exists (select client_id, sales_person_id from new_rows except select client_id, sales_person_id from old_rows) then
    perform pg_notify('lis_sessions', '*');
  end if;
  return null;
end $$;
create trigger session_clients_added after insert on client_sales referencing new table as new_rows
  for each statement execute function session_clients_added();
create trigger session_clients_removed after delete on client_sales referencing old table as old_rows
  for each statement execute function session_clients_removed();
create trigger session_clients_changed after update on client_sales referencing old table as old_rows new table as new_rows
  for each statement execute function session_clients_changed();

create function session_team_changed() returns trigger language plpgsql as $$
begin
  if exists (
    select from new_rows n
    join old_rows o on o.id = n.id
    where (n.report_to_id, n.deleted_at) is distinct from (o.report_to_id, o.deleted_at)
  ) then
    perform pg_notify('lis_sessions', '*');
  end if;
  return null;
end $$;
create trigger session_team_changed after update on sales_person referencing old table as old_rows new table as new_rows
  for each statement execute function session_team_changed();
