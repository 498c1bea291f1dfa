-- Audit
-- Hash chain PER RECORD, not one chain: a single chain head, or a head per shard, is a row that every writer must lock until it
-- commits, and a bulk move would take all of them. Writers of one record already queue on that record's row (version check), so a
-- chain per record adds no new lock. What a per-record chain cannot show (a whole chain, or its tail, gone) is covered by
-- audit_seal: one job hashes all rows of a closed id range into a chain of seals, which can be printed or sent elsewhere.
create table audit_entry (
  id bigint generated always as identity primary key,
  entity text not null, entity_id bigint not null,
  chain_no int not null,                   -- 1, 2, 3 … within the record
  requisition_id bigint, client_id int,    -- where the activity tabs look
  action text not null, reason text,
  actor_id int, actor_name text not null,  -- the name is kept: it must read the same after the user is gone
  request_id uuid, at timestamptz not null default clock_timestamp(),
  old_data jsonb, new_data jsonb,
  prev_hash bytea, hash bytea not null,
  constraint audit_entry_no_fork unique (entity, entity_id, chain_no)
);
create index on audit_entry (requisition_id, id) where requisition_id is not null;
create index on audit_entry (client_id, id) where client_id is not null and requisition_id is null;
create index on audit_entry using brin (at);

create function audit_hash(a audit_entry) returns bytea language sql immutable
  return sha256(coalesce(a.prev_hash, ''::bytea) || convert_to(jsonb_build_array(a.id, a.entity, a.entity_id, a.chain_no, a.requisition_id,
    a.client_id, a.action, a.reason, a.actor_id, a.actor_name, a.request_id, extract(epoch from a.at), a.old_data, a.new_data)::text, 'UTF8'));

-- No sequential scan: while the table is small or was never analysed the planner would read all of it for every row, and keep that plan.
create function audit_chain() returns trigger language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  select e.chain_no, e.hash into new.chain_no, new.prev_hash from audit_entry e
   where e.entity = new.entity and e.entity_id = new.entity_id order by e.chain_no desc limit 1;
  new.chain_no := coalesce(new.chain_no, 0) + 1;
  new.hash := audit_hash(new);
  return new;
end $$;
create trigger audit_chain before insert on audit_entry for each row execute function audit_chain();

create function refuse_change() returns trigger language plpgsql as $$
begin raise exception '% is append-only', tg_table_name using errcode = '42501'; end $$;
create trigger audit_append_only before update or delete or truncate on audit_entry for each statement execute function refuse_change();

create table audit_seal (
  id int generated always as identity primary key, from_id bigint not null, to_id bigint not null, row_count bigint not null,
  prev_hash bytea, hash bytea not null, sealed_at timestamptz not null default now(), check (to_id >= from_id)
);
create trigger audit_seal_append_only before update or delete or truncate on audit_seal for each statement execute function refuse_change();

-- Seals every row up to a point below which nothing can still appear: five minutes old, and no transaction from before that still open.
-- It runs as the owner (see rights), who alone may see what the other sessions are doing.
create function audit_seal_due() returns bigint language plpgsql as $$
declare sealed bigint := 0; last_id bigint; last_hash bytea;
begin
  if not pg_try_advisory_xact_lock(hashtext('audit_seal')) then return 0; end if;
  if exists (select from pg_stat_activity where datname = current_database() and backend_xid is not null and xact_start < now() - interval '5 minutes') then
    return 0;
  end if;
  select to_id, hash into last_id, last_hash from audit_seal order by id desc limit 1;
  insert into audit_seal (from_id, to_id, row_count, prev_hash, hash)
  select coalesce(last_id, 0) + 1, max(id), count(*), last_hash, sha256(coalesce(last_hash, ''::bytea) || sha256(string_agg(hash, ''::bytea order by id)))
  from audit_entry where id > coalesce(last_id, 0) and at < now() - interval '5 minutes' having count(*) > 0
  returning row_count into sealed;
  return coalesce(sealed, 0);
end $$;

create table access_log (                 -- one row per read of patient data; a list page is one row with its ids
  id bigint generated always as identity primary key, at timestamptz not null default now(), user_id int not null,
  request_id uuid, action text not null, patient_id bigint, requisition_id bigint, requisition_ids bigint[]
);
create index on access_log (patient_id, at) where patient_id is not null;
create index on access_log (requisition_id, at) where requisition_id is not null;
create index on access_log (user_id, at);
create trigger access_log_append_only before update or delete or truncate on access_log for each statement execute function refuse_change();
