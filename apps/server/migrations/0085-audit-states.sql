-- What the audit could not show until now: a value changed directly in its table, a row rewritten together with its chain and seals, and rows
-- removed from the end before they were sealed.

-- Rows written in one transaction belong together: a change of a clinical record needs an audit row of the same transaction, which is known by the
-- instant it began. Transaction numbers would begin again in a restored database.
alter table audit_entry add column tx_at timestamptz;
create or replace function audit_hash(a audit_entry) returns bytea language sql immutable
  return sha256(coalesce(a.prev_hash, ''::bytea) || convert_to((case when a.tx_at is null
    then jsonb_build_array(a.id, a.entity, a.entity_id, a.chain_no, a.requisition_id,
      a.client_id, a.action, a.reason, a.actor_id, a.actor_name, a.request_id, extract(epoch from a.at), a.old_data, a.new_data)
    else jsonb_build_array(a.id, a.entity, a.entity_id, a.chain_no, a.requisition_id,
      a.client_id, a.action, a.reason, a.actor_id, a.actor_name, a.request_id, extract(epoch from a.at), a.old_data, a.new_data,
      extract(epoch from a.tx_at)) end)::text, 'UTF8'));
create or replace function audit_chain() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  select e.chain_no, e.hash into new.chain_no, new.prev_hash from audit_entry e
   where e.entity = new.entity and e.entity_id = new.entity_id order by e.chain_no desc limit 1;
  new.chain_no := coalesce(new.chain_no, 0) + 1;
  new.tx_at := now();
  new.hash := audit_hash(new);
  return new;
end $$;

-- One row per change of a clinical record: a digest of what it is afterwards, null when it is gone. Written by triggers alone.
create table audit_state (
  id bigint generated always as identity primary key, entity text not null, entity_id bigint not null, part int not null default 0,
  tx_at timestamptz not null default now(), at timestamptz not null default clock_timestamp(), digest bytea
);

-- What counts of each table, said once. The digest is written out where it is needed: a function of a row would cost more than the digest itself.
-- Nothing here depends on a setting of the connection, such as its time zone.
-- Without nested loops: rows of a statement have no index, and a plan that was made for a few of them is kept for thousands.
do $$
declare
  one record; digest text; current text;
begin
  for one in select * from (values
      ('patient', 'id', '0', '@.first_name, @.middle_name, @.last_name, @.dob, @.gender_code, encode(@.ssn_encrypted, ''hex''), @.ssn_last4, @.deleted_at is null'),
      ('requisition', 'id', '0', '@.status_code, @.patient_id, @.client_id, @.collaborator_id, @.ordering_client_physician_id,
        extract(epoch from @.collected_at), @.ext_order_id, @.deleted_at is null'),
      ('requisition_test', 'id', '0', '@.requisition_id, @.test_id, @.result, @.result_num, @.reportable_result, @.interpretation, @.comment,
        extract(epoch from @.process_date), @.is_retest, @.retest_of_id, @.deleted_at is null'),
      ('report', 'id', '0', '@.requisition_id, @.current_version_no, @.lab_qc_status_code, extract(epoch from @.release_at), @.deleted_at is null'),
      ('report_version', 'report_id', '@.version_no', '@.file_id, @.is_correction, @.correction_reason, @.content,
        (select encode(f.sha256, ''hex'') from stored_file f where f.id = @.file_id)')) as x(name, key, part, facts) loop
    digest := 'substr(sha256(convert_to(jsonb_build_array(' || one.facts || ')::text, ''UTF8'')), 1, 16)';
    execute format($f$ create function audit_state_of_%1$s() returns trigger language plpgsql security definer set search_path = public, pg_temp
      set enable_nestloop = off as $t$
      begin
        if tg_op = 'INSERT' then
          insert into audit_state (entity, entity_id, part, digest) select %1$L, n.%2$s, %3$s, %4$s from fresh n;
        elsif tg_op = 'UPDATE' then
          insert into audit_state (entity, entity_id, part, digest) select %1$L, n.%2$s, %3$s, %4$s
          from fresh n join stale o on o.%2$s = n.%2$s and %5$s = %3$s where row(%6$s) is distinct from row(%7$s);
        else
          insert into audit_state (entity, entity_id, part) select %1$L, o.%2$s, %5$s from stale o;
        end if;
        return null;
      end $t$ $f$, one.name, one.key, replace(one.part, '@.', 'n.'), replace(digest, '@.', 'n.'), replace(one.part, '@.', 'o.'),
      replace(one.facts, '@.', 'n.'), replace(one.facts, '@.', 'o.'));
    execute format('create trigger audit_state_insert after insert on %1$s referencing new table as fresh
      for each statement execute function audit_state_of_%1$s()', one.name);
    execute format('create trigger audit_state_update after update on %1$s referencing old table as stale new table as fresh
      for each statement execute function audit_state_of_%1$s()', one.name);
    execute format('create trigger audit_state_delete after delete on %1$s referencing old table as stale
      for each statement execute function audit_state_of_%1$s()', one.name);
    current := concat_ws(' union all ', current, format('select %1$L as entity, t.%2$s::bigint as entity_id, %3$s as part, %4$s as digest from %1$s t', one.name, one.key,
      replace(one.part, '@.', 't.'), replace(digest, '@.', 't.')));
  end loop;
  execute 'create view audit_current as ' || current;
end $$;

-- For rows that came before this, or while triggers were held back: what is there now is where their history begins.
create function audit_state_begin() returns void language sql as $$
  insert into audit_state (entity, entity_id, part, digest)
  select c.entity, c.entity_id, c.part, c.digest from audit_current c
  where not exists (select from audit_state s where s.entity = c.entity and s.entity_id = c.entity_id and s.part = c.part) $$;
select audit_state_begin();
create trigger audit_state_append_only before update or delete or truncate on audit_state for each statement execute function refuse_change();
revoke all on audit_state from lis_app;
revoke all on audit_current from lis_app;
revoke execute on function audit_state_begin() from public;

create function audit_state_hash(s audit_state) returns bytea language sql immutable
  return sha256(convert_to(jsonb_build_array(s.id, s.entity, s.entity_id, s.part, extract(epoch from s.tx_at), extract(epoch from s.at), encode(s.digest, 'hex'))::text, 'UTF8'));

-- A seal covers a range of both tables. Its code (HMAC) is made by the server with a key that the database does not hold; `key_mark` tells keys apart.
-- Seals of before have none: the chain of hashes ties them to the first that has one.
alter table audit_seal add column state_from bigint, add column state_to bigint, add column state_count bigint, add column mac bytea, add column key_mark text;
drop function audit_seal_due();

alter table audit_seal drop constraint audit_seal_check;  -- a seal may cover rows of one table only

-- What the next seal would cover: rows up to a point below which nothing can still appear, that is five minutes old and without an open transaction
-- from before. It runs as the owner, who alone may see what the other sessions are doing. The caller has the lock until the seal is written.
create function audit_seal_next() returns table (from_id bigint, to_id bigint, row_count bigint, state_from bigint, state_to bigint, state_count bigint,
  prev_hash bytea, hash bytea) language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_variable
declare
  old_enough timestamptz := now() - interval '5 minutes';
  most int := 100000;
begin
  if not pg_try_advisory_xact_lock(hashtext('audit_seal')) then return; end if;
  if exists (select from pg_stat_activity a where a.datname = current_database() and a.backend_xid is not null and a.xact_start < old_enough) then return; end if;
  select s.hash, s.to_id + 1 into prev_hash, from_id from audit_seal s order by s.id desc limit 1;
  from_id := coalesce(from_id, 1);
  state_from := coalesce((select max(s.state_to) from audit_seal s), 0) + 1;
  select coalesce(max(x.id), from_id - 1) into to_id
    from (select e.id from audit_entry e where e.id >= from_id and e.at < old_enough order by e.id limit most) x;
  select coalesce(max(x.id), state_from - 1) into state_to
    from (select s.id from audit_state s where s.id >= state_from and s.at < old_enough order by s.id limit most) x;
  select count(*) into row_count from audit_entry e where e.id between from_id and to_id;
  select count(*) into state_count from audit_state s where s.id between state_from and state_to;
  if row_count = 0 and state_count = 0 then return; end if;
  hash := audit_seal_hash(prev_hash, from_id, to_id, state_from, state_to);
  return next;
end $$;
create function audit_seal_hash(prev_hash bytea, from_id bigint, to_id bigint, state_from bigint, state_to bigint) returns bytea language sql stable as $$
  select sha256(coalesce(prev_hash, ''::bytea) || rows.hash || coalesce(states.hash, ''::bytea))
  from (select sha256(coalesce(string_agg(e.hash, ''::bytea order by e.id), ''::bytea)) as hash from audit_entry e where e.id between $2 and $3) rows,
    (select case when $5 is not null then sha256(coalesce(string_agg(audit_state_hash(s), ''::bytea order by s.id), ''::bytea)) end as hash
      from audit_state s where s.id between $4 and $5) states $$;

-- Rows that were written lately, for the record that the server keeps of them outside the database.
create function audit_tail(after_id bigint, after_state bigint) returns table (is_state boolean, id bigint, hash bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select false, e.id, e.hash from audit_entry e where e.id > after_id
  union all select true, s.id, audit_state_hash(s) from audit_state s where s.id > after_state $$;
