-- Effective dates

-- One mechanism for everything that may be asked for as it was on a day: each row of the tables below, after each of its changes.
create table record_version (
  id bigint generated always as identity primary key,
  entity text not null,  -- the table
  entity_id int not null,
  part int not null default 0,  -- which row of a table without an id of its own
  owner_id int,  -- the client, collaborator or laboratory it belongs to
  valid_from timestamptz not null,  -- -infinity: it came with the installation, or was there before versions were kept
  data jsonb  -- the row; null once it is gone
);
comment on table record_version is 'What a row of the catalogue, a range, a price, a rule, a limit or a laboratory record said, and since when.';
create index on record_version (entity, owner_id, entity_id, part, id desc);
create index on record_version (entity, entity_id, part, id desc);
create index on record_version (valid_from);
alter table record_version enable row level security;
create policy record_version_scope on record_version to lis_app
  using ((select sees_all_rows()) or entity <> 'client_test_price' or is_client_row_seen(owner_id)) with check (false);
create policy all_rows on record_version to lis_all using (true) with check (false);
create trigger record_version_append_only before update or delete or truncate on record_version for each statement execute function refuse_change();
revoke insert, update, delete, truncate on record_version from lis_app;

-- What is written without the scope of a call is the installation itself: as long as nobody has changed anything, it has been so from the
-- beginning. The arguments are the id, the part and the owner of a row.
create function keep_record_version() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  of_id int;
  of_part int;
  of_owner int;
  latest record_version;
  present jsonb;
begin
  execute format('select %s, %s, %s from jsonb_populate_record(null::%I, $1) t', tg_argv[0], tg_argv[1], tg_argv[2], tg_table_name)
    into of_id, of_part, of_owner using changed;
  execute format('select to_jsonb(t) from %I t where %s = $1 and %s = $2', tg_table_name, tg_argv[0], tg_argv[1])
    into present using of_id, of_part;
  select * into latest from record_version v
    where v.entity = tg_table_name and v.entity_id = of_id and v.part = of_part order by v.id desc limit 1;
  if latest.data is not distinct from present then return null; end if;
  insert into record_version (entity, entity_id, part, owner_id, valid_from, data)
  values (tg_table_name, of_id, of_part, of_owner,
    case when coalesce(current_setting('lis.role', true), '') = '' and not exists (select from record_version where valid_from > '-infinity')
      then '-infinity' else clock_timestamp() end, present);
  return null;
end $$;

-- The present rows as their first versions, where they have none: after a load without triggers, and now.
create function begin_record_versions() returns void language plpgsql set search_path = public, pg_temp as $$
declare
  kept record;
begin
  for kept in select c.relname as name, string_to_array(encode(t.tgargs, 'escape'), '\000') as args
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgfoid = 'keep_record_version'::regproc order by 1
  loop
    execute format('insert into record_version (entity, entity_id, part, owner_id, valid_from, data)
      select %1$L, %3$s, %4$s, %5$s, ''-infinity'', to_jsonb(t) from %2$I t
      where not exists (select from record_version v where v.entity = %1$L and v.entity_id = %3$s and v.part = %4$s)',
      kept.name, kept.name, kept.args[1], kept.args[2], kept.args[3]);
  end loop;
end $$;
revoke all on function begin_record_versions() from public;

create trigger test_version after insert or update or delete on test
  for each row execute function keep_record_version('t.id', '0', 'null');
create trigger collaborator_test_range_version after insert or update or delete on collaborator_test_range
  for each row execute function keep_record_version('t.id', '0', 't.collaborator_id');
create trigger client_test_price_version after insert or update or delete on client_test_price
  for each row execute function keep_record_version('t.id', '0', 't.client_id');
create trigger critical_limit_version after insert or update or delete on critical_limit
  for each row execute function keep_record_version('t.id', '0', 'null');
create trigger autoverify_rule_version after insert or update or delete on autoverify_rule
  for each row execute function keep_record_version('t.id', '0', 't.lab_id');
create trigger reflex_rule_version after insert or update or delete on reflex_rule
  for each row execute function keep_record_version('t.id', '0', 'null');
-- At the commit: a save removes such rows and writes them again, which is no change.
create constraint trigger reflex_rule_test_version after insert or update or delete on reflex_rule_test
  deferrable initially deferred for each row execute function keep_record_version('t.rule_id', 'coalesce(t.test_id, -t.panel_id)', 'null');
create trigger lab_version after insert or update or delete on lab
  for each row execute function keep_record_version('t.id', '0', 't.id');
create constraint trigger lab_accreditation_version after insert or update or delete on lab_accreditation
  deferrable initially deferred for each row execute function keep_record_version('t.lab_id', 't.position', 't.lab_id');

select begin_record_versions();
