-- Audit
drop trigger audit_chain on audit_entry;
drop policy audit_entry_scope on audit_entry;
drop policy all_rows on audit_entry;
drop function audit_hash(audit_entry);
drop function audit_state_hash(audit_state);

select partition_by_month('audit_entry');
select partition_by_month('audit_state');

alter table audit_entry enable row level security;
create policy audit_entry_scope on audit_entry to lis_app
  using ((select sees_all_rows()) or requisition_id is null or (select true from requisition r where r.id = audit_entry.requisition_id))
  with check (true);
create policy all_rows on audit_entry to lis_all using (true) with check (true);
revoke update, delete, truncate on audit_entry from lis_app;
revoke all on audit_state from lis_app;
create trigger audit_append_only before update or delete or truncate on audit_entry for each statement execute function refuse_change();
create trigger audit_append_only before update or delete or truncate on audit_entry_default for each statement execute function refuse_change();
create trigger audit_state_append_only before update or delete or truncate on audit_state for each statement execute function refuse_change();
create trigger audit_state_append_only before update or delete or truncate on audit_state_default for each statement execute function refuse_change();

create function audit_hash(a audit_entry) returns bytea language sql immutable
  return sha256(coalesce(a.prev_hash, ''::bytea) || convert_to((case when a.tx_at is null
    then jsonb_build_array(a.id, a.entity, a.entity_id, a.chain_no, a.requisition_id, a.client_id, a.action, a.reason,
      a.actor_id, a.actor_name, a.request_id, extract(epoch from a.at), a.old_data, a.new_data)
    else jsonb_build_array(a.id, a.entity, a.entity_id, a.chain_no, a.requisition_id, a.client_id, a.action, a.reason,
      a.actor_id, a.actor_name, a.request_id, extract(epoch from a.at), a.old_data, a.new_data, extract(epoch from a.tx_at))
    end)::text, 'UTF8'));
create function audit_state_hash(s audit_state) returns bytea language sql immutable
  return sha256(convert_to(jsonb_build_array(s.id, s.entity, s.entity_id, s.part, extract(epoch from s.tx_at), extract(epoch from s.at),
    encode(s.digest, 'hex'))::text, 'UTF8'));

-- Rows from before are in the first part: the only one in which the end of a chain can be that is not kept in audit_chain_end yet.
do $$
begin
  execute format('create function audit_chain_ends_from() returns timestamptz language sql immutable return %L::timestamptz',
    (select to_at from table_part where table_name = 'audit_entry' and to_at is not null));
end $$;

-- Continues the chain of the record: writers of one record take turns at its end.
create or replace function audit_chain() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  last audit_chain_end;
begin
  new.tx_at := now();
  loop
    select e.* into last from audit_chain_end e where e.entity = new.entity and e.entity_id = new.entity_id for update;
    if found then
      new.chain_no := last.chain_no + 1;
      new.prev_hash := last.hash;
      new.hash := audit_hash(new);
      update audit_chain_end e set chain_no = new.chain_no, hash = new.hash where e.entity = new.entity and e.entity_id = new.entity_id;
      return new;
    end if;
    select e.chain_no, e.hash into new.chain_no, new.prev_hash
    from audit_entry e
    where e.entity = new.entity and e.entity_id = new.entity_id and e.at < audit_chain_ends_from()
    order by e.chain_no desc
    limit 1;
    new.chain_no := coalesce(new.chain_no, 0) + 1;
    new.hash := audit_hash(new);
    insert into audit_chain_end values (new.entity, new.entity_id, new.chain_no, new.hash) on conflict do nothing;
    if found then return new; end if;
  end loop;
end $$;
create trigger audit_chain before insert on audit_entry for each row execute function audit_chain();

-- As before; the row types are named in full, so that audit:verify can put detached parts beside the tables.
create or replace function audit_seal_hash(prev_hash bytea, from_id bigint, to_id bigint, state_from bigint, state_to bigint) returns bytea
language sql stable as $$
  select sha256(coalesce(prev_hash, ''::bytea) || rows.hash || coalesce(states.hash, ''::bytea))
  from (
      select sha256(coalesce(string_agg(e.hash, ''::bytea order by e.id), ''::bytea)) as hash
      from audit_entry e where e.id between $2 and $3) rows,
    (
      select case when $5 is not null then sha256(coalesce(string_agg(audit_state_hash(row(s.*)::public.audit_state), ''::bytea order by s.id), ''::bytea)) end as hash
      from audit_state s where s.id between $4 and $5) states $$;

create table detached_part (
  id int generated always as identity primary key,
  table_name text not null,
  from_at timestamptz,
  to_at timestamptz not null,
  row_count bigint not null,
  first_id bigint,
  last_id bigint,
  sha256 bytea not null,  -- of the rows as COPY writes them
  mac bytea not null,  -- HMAC made with a key that the database does not hold
  key_mark text not null,
  detached_at timestamptz not null default now()
);
comment on table detached_part is 'A part of a partitioned table that was taken out and is kept as a file, with the checksum of its rows.';
create trigger detached_part_append_only before update or delete or truncate on detached_part for each statement execute function refuse_change();
revoke insert, update, delete, truncate on detached_part from lis_app;
