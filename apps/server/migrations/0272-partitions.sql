-- Audit
-- Partitions by month, third step: only the catalogue changes, so the locks are held for milliseconds.
--
-- Months are those of UTC. Rows that fit into no month are caught by a default part. Each part has its own primary key and unique
-- constraints; the ids come from one sequence. Only the whole table can be read and written by the server: the parts give it no rights.

-- Where the chain of a record ends. Without it the end would be looked for in every part, and would be lost with a detached one.
create table audit_chain_end (
  entity text not null,
  entity_id bigint not null,
  chain_no int not null,
  hash bytea not null,
  primary key (entity, entity_id)
) with (fillfactor = 80);
comment on table audit_chain_end is 'The last number and hash of the chain of each record: where the next audit row continues, also when older ones were detached.';
revoke all on audit_chain_end from lis_app;

-- The parts of the tables that are partitioned. Without bounds: the default one. The first part of a table that was filled before has no beginning.
create view table_part as
select p.relname as table_name, c.relname as part_name,
  (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\)'))[1]::timestamptz as from_at,
  (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''\)'))[1]::timestamptz as to_at
from pg_inherits i
join pg_class p on p.oid = i.inhparent
join pg_class c on c.oid = i.inhrelid
where p.relkind = 'p' and p.relnamespace = 'public'::regnamespace;
comment on view table_part is 'A part of a partitioned table with its months.';

-- Takes all rights on a part away from the server, which reads and writes the whole table.
create function close_part(part text) returns void language plpgsql as $$
begin
  execute format('revoke all on %I from lis_app', part);
  execute format('alter table %I enable row level security', part);
end $$;
revoke execute on function close_part(text) from public;

-- A table like the default part, which can be attached. Where that one is append-only, this one is too.
create function new_part(parent text, part text) returns void language plpgsql as $$
declare
  guard text := (
    select t.tgname from pg_trigger t
    where t.tgrelid = (parent || '_default')::regclass and not t.tgisinternal and t.tgfoid = 'refuse_change'::regproc);
begin
  execute format('create table %I (like %I including all excluding identity)', part, parent || '_default');
  perform close_part(part);
  if guard is not null then
    execute format('create trigger %I before update or delete or truncate on %I for each statement execute function refuse_change()', guard, part);
  end if;
end $$;
revoke execute on function new_part(text, text) from public;

-- Makes the part of a month, and moves rows there that the default part has caught. False if there is one already.
create function make_part(parent text, month date) returns boolean language plpgsql security definer set search_path = public, pg_temp
  set lock_timeout = '2s' as $$
declare
  begins timestamptz := date_trunc('month', month::timestamp) at time zone 'utc';
  ends timestamptz := (date_trunc('month', month::timestamp) + interval '1 month') at time zone 'utc';
  part text := format('%s_%s', parent, to_char(month, 'YYYY_MM'));
  caught text := parent || '_default';
begin
  perform pg_advisory_xact_lock(hashtext('make_part'));
  if exists (
    select from table_part p
    where p.table_name = parent and p.to_at is not null and coalesce(p.from_at, '-infinity') < ends and p.to_at > begins
  ) then return false; end if;
  perform new_part(parent, part);
  execute format('lock table %I in access exclusive mode', caught);
  execute format('alter table %I disable trigger user', caught);
  execute format('with moved as (delete from %I where at >= %L and at < %L returning *) insert into %I select * from moved', caught, begins, ends, part);
  execute format('alter table %I enable trigger user', caught);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, begins, ends);
  return true;
end $$;
revoke execute on function make_part(text, date) from public;

-- The parts of this month and the next two, for all tables. Any process may ask for them.
create function make_parts_ahead() returns int language sql security definer set search_path = public, pg_temp as $$
  select count(*)::int
  from (select distinct table_name from table_part) t, generate_series(0, 2) ahead
  where make_part(t.table_name, ((now() at time zone 'utc') + make_interval(months => ahead))::date) $$;

-- Replaces a table by a partitioned one of the same name, whose first part it becomes. Indexes are kept: those of the same form belong together.
-- A small table of this month alone, as in a new database, becomes the part of this month.
create function partition_by_month(parent text) returns void language plpgsql as $$
declare
  month timestamptz := date_trunc('month', now() at time zone 'utc') at time zone 'utc';
  next_month timestamptz := (date_trunc('month', now() at time zone 'utc') + interval '1 month') at time zone 'utc';
  bound timestamptz := (
    select substring(pg_get_constraintdef(c.oid) from '''([^'']+)''')::timestamptz
    from pg_constraint c where c.conrelid = parent::regclass and c.conname = 'before_partitions');
  said text := obj_description(parent::regclass, 'pg_class');
  sequence regclass := pg_get_serial_sequence(parent, 'id');
  is_new boolean;
  first text;
  next_id bigint;
  made record;
  indexes text[] := '{}';
begin
  execute format('lock table %I in access exclusive mode', parent);
  execute format('select pg_relation_size(%L) < 16000000 and not exists (select from %I where at < %L)', parent, parent, month) into is_new;
  first := parent || case when is_new then to_char(month at time zone 'utc', '_YYYY_MM') else to_char(bound at time zone 'utc', '"_before_"YYYY_MM') end;
  execute format('select last_value + case when is_called then 1 else 0 end from %s', sequence) into next_id;
  execute format('alter table %I alter column id drop identity', parent);
  execute format('alter table %I rename to %I', parent, first);
  for made in
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition, i.indisunique as is_unique
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = first::regclass order by i.indexrelid
  loop
    if not made.is_unique then indexes := indexes || replace(made.definition, format(' ON public.%s ', first), format(' ON public.%s ', parent)); end if;
    execute format('alter index %I rename to %I', made.name, left(replace(made.name, parent, first), 63));
  end loop;
  execute format('create table %I (like %I including defaults including storage including comments) partition by range (at)', parent, first);
  execute format('comment on table %I is %L', parent, said);
  execute format('alter table %I alter column id add generated always as identity (start with %s)', parent, next_id);
  for i in 1 .. coalesce(array_length(indexes, 1), 0) loop execute indexes[i]; end loop;
  execute format('create table %I (like %I including all excluding constraints)', parent || '_default', first);
  for made in select c.conname, pg_get_constraintdef(c.oid) as definition from pg_constraint c where c.conrelid = first::regclass and c.contype = 'f' loop
    execute format('alter table %I add constraint %I %s', parent, made.conname, made.definition);
  end loop;
  if is_new then
    execute format('alter table %I drop constraint before_partitions', first);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, first, month, next_month);
  else
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', parent, first, bound);
    execute format('alter table %I drop constraint before_partitions', first);
  end if;
  execute format('alter table %I attach partition %I default', parent, parent || '_default');
  perform close_part(first);
  perform close_part(parent || '_default');
end $$;
revoke execute on function partition_by_month(text) from public;
