-- Audit
-- Each record has a hash chain of its own. One chain for all would have a head that every writer must lock until it commits. Writers
-- of one record already wait for each other (version check), so a chain per record adds no lock. That a whole chain or its end is
-- gone is shown by the seals: a second chain over closed ranges of all rows, with codes under a key that the database does not hold.
-- A value that was changed directly in its table is shown by the digests in audit_state.

create table audit_entry (
  id bigint generated always as identity primary key,
  entity text not null,
  entity_id bigint not null,
  chain_no int not null,  -- 1, 2, 3 … within the record
  requisition_id bigint,  -- where the activity tabs look
  client_id int,
  action text not null,
  reason text,
  actor_id int,
  actor_name text not null,  -- kept, so that it reads the same after the user is gone
  request_id uuid,
  at timestamptz not null default clock_timestamp(),
  tx_at timestamptz,  -- when the transaction began: rows of one transaction belong together, also in a restored database
  old_data jsonb,
  new_data jsonb,
  prev_hash bytea,
  hash bytea not null,
  constraint audit_entry_no_fork unique (entity, entity_id, chain_no)
);
comment on table audit_entry is 'A change of a record: who, when, what it was before and after; each row holds the hash of the one before it.';
create index on audit_entry (requisition_id, id) where requisition_id is not null;
create index on audit_entry (client_id, id) where client_id is not null and requisition_id is null;
create index on audit_entry using brin (at);
-- A row is seen with its requisition. Entries of master data name none.
alter table audit_entry enable row level security;
create policy audit_entry_scope on audit_entry to lis_app
  using ((select sees_all_rows()) or requisition_id is null or (select true from requisition r where r.id = audit_entry.requisition_id))
  with check (true);
create policy all_rows on audit_entry to lis_all using (true) with check (true);
revoke update, delete, truncate on audit_entry from lis_app;

-- The hash of a row, which covers all its columns and the hash of the row before it.
create function audit_hash(a audit_entry) returns bytea language sql immutable
  return sha256(coalesce(a.prev_hash, ''::bytea) || convert_to((case when a.tx_at is null
    then jsonb_build_array(a.id, a.entity, a.entity_id, a.chain_no, a.requisition_id, a.client_id, a.action, a.reason,
      a.actor_id, a.actor_name, a.request_id, extract(epoch from a.at), a.old_data, a.new_data)
    else jsonb_build_array(a.id, a.entity, a.entity_id, a.chain_no, a.requisition_id, a.client_id, a.action, a.reason,
      a.actor_id, a.actor_name, a.request_id, extract(epoch from a.at), a.old_data, a.new_data, extract(epoch from a.tx_at))
    end)::text, 'UTF8'));

-- Continues the chain of the record. No sequential scan: while the table is small or was never analysed, the planner would read all of
-- it for every row, and keep that plan.
create function audit_chain() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  select e.chain_no, e.hash into new.chain_no, new.prev_hash
  from audit_entry e
  where e.entity = new.entity and e.entity_id = new.entity_id
  order by e.chain_no desc
  limit 1;
  new.chain_no := coalesce(new.chain_no, 0) + 1;
  new.tx_at := now();
  new.hash := audit_hash(new);
  return new;
end $$;
create trigger audit_chain before insert on audit_entry for each row execute function audit_chain();
create trigger audit_append_only before update or delete or truncate on audit_entry for each statement execute function refuse_change();

-- Written by triggers alone. Each row needs an audit row of the same transaction, which is known by the instant it began.
create table audit_state (
  id bigint generated always as identity primary key,
  entity text not null,
  entity_id bigint not null,
  part int not null default 0,
  tx_at timestamptz not null default now(),
  at timestamptz not null default clock_timestamp(),
  digest bytea
);
comment on table audit_state is 'A digest of a clinical record after each of its changes, null when it was removed.';
create trigger audit_state_append_only before update or delete or truncate on audit_state for each statement execute function refuse_change();
revoke all on audit_state from lis_app;

-- The hash of a digest row, for the seals.
create function audit_state_hash(s audit_state) returns bytea language sql immutable
  return sha256(convert_to(jsonb_build_array(s.id, s.entity, s.entity_id, s.part, extract(epoch from s.tx_at), extract(epoch from s.at),
    encode(s.digest, 'hex'))::text, 'UTF8'));

-- The digests that the records have today: what `npm run audit:verify` compares with audit_state. The columns of each table are the
-- same as in its trigger below. Nothing in a digest depends on a setting of the connection, such as its time zone.
create view audit_current as
select 'patient' as entity, t.id::bigint as entity_id, 0 as part,
  substr(sha256(convert_to(jsonb_build_array(
    t.first_name, t.middle_name, t.last_name, t.dob, t.gender_code, encode(t.ssn_encrypted, 'hex'), t.ssn_last4,
    t.deleted_at is null)::text, 'UTF8')), 1, 16) as digest
from patient t
union all
select 'requisition' as entity, t.id::bigint as entity_id, 0 as part,
  substr(sha256(convert_to(jsonb_build_array(
    t.status_code, t.patient_id, t.client_id, t.collaborator_id, t.ordering_client_physician_id,
    extract(epoch from t.collected_at), t.ext_order_id, t.deleted_at is null)::text, 'UTF8')), 1, 16) as digest
from requisition t
union all
select 'requisition_test' as entity, t.id::bigint as entity_id, 0 as part,
  substr(sha256(convert_to(jsonb_build_array(
    t.requisition_id, t.test_id, t.result, t.result_num, t.reportable_result, t.interpretation, t.comment,
    extract(epoch from t.process_date), t.is_retest, t.retest_of_id, t.deleted_at is null)::text, 'UTF8')), 1, 16) as digest
from requisition_test t
union all
select 'report' as entity, t.id::bigint as entity_id, 0 as part,
  substr(sha256(convert_to(jsonb_build_array(
    t.requisition_id, t.current_version_no, t.lab_qc_status_code, extract(epoch from t.release_at), t.deleted_at is null)::text, 'UTF8')), 1, 16) as digest
from report t
union all
select 'report_version' as entity, t.report_id::bigint as entity_id, t.version_no as part,
  substr(sha256(convert_to(jsonb_build_array(
    t.file_id, t.is_correction, t.correction_reason, t.content,
    (select encode(f.sha256, 'hex') from stored_file f where f.id = t.file_id))::text, 'UTF8')), 1, 16) as digest
from report_version t;
comment on view audit_current is 'The digests that clinical records have today, to be compared with audit_state.';
revoke all on audit_current from lis_app;

-- The triggers that write digests. The digest is written out in each: a function of a row would cost more than the digest itself.
-- Without nested loops: rows of a statement have no index, and a plan that was made for a few of them is kept for thousands.

create function audit_state_of_patient() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_nestloop = off as $$
begin
  if tg_op = 'INSERT' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'patient', n.id, 0,
      substr(sha256(convert_to(jsonb_build_array(
        n.first_name, n.middle_name, n.last_name, n.dob, n.gender_code, encode(n.ssn_encrypted, 'hex'), n.ssn_last4,
        n.deleted_at is null)::text, 'UTF8')), 1, 16)
    from fresh n;
  elsif tg_op = 'UPDATE' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'patient', n.id, 0,
      substr(sha256(convert_to(jsonb_build_array(
        n.first_name, n.middle_name, n.last_name, n.dob, n.gender_code, encode(n.ssn_encrypted, 'hex'), n.ssn_last4,
        n.deleted_at is null)::text, 'UTF8')), 1, 16)
    from fresh n
    join stale o on o.id = n.id
    where row(
        n.first_name, n.middle_name, n.last_name, n.dob, n.gender_code, encode(n.ssn_encrypted, 'hex'), n.ssn_last4,
        n.deleted_at is null)
      is distinct from row(
        o.first_name, o.middle_name, o.last_name, o.dob, o.gender_code, encode(o.ssn_encrypted, 'hex'), o.ssn_last4,
        o.deleted_at is null);
  else
    insert into audit_state (entity, entity_id, part) select 'patient', o.id, 0 from stale o;
  end if;
  return null;
end $$;
create trigger audit_state_insert after insert on patient referencing new table as fresh
  for each statement execute function audit_state_of_patient();
create trigger audit_state_update after update on patient referencing old table as stale new table as fresh
  for each statement execute function audit_state_of_patient();
create trigger audit_state_delete after delete on patient referencing old table as stale
  for each statement execute function audit_state_of_patient();

create function audit_state_of_requisition() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_nestloop = off as $$
begin
  if tg_op = 'INSERT' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'requisition', n.id, 0,
      substr(sha256(convert_to(jsonb_build_array(
        n.status_code, n.patient_id, n.client_id, n.collaborator_id, n.ordering_client_physician_id,
        extract(epoch from n.collected_at), n.ext_order_id, n.deleted_at is null)::text, 'UTF8')), 1, 16)
    from fresh n;
  elsif tg_op = 'UPDATE' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'requisition', n.id, 0,
      substr(sha256(convert_to(jsonb_build_array(
        n.status_code, n.patient_id, n.client_id, n.collaborator_id, n.ordering_client_physician_id,
        extract(epoch from n.collected_at), n.ext_order_id, n.deleted_at is null)::text, 'UTF8')), 1, 16)
    from fresh n
    join stale o on o.id = n.id
    where row(
        n.status_code, n.patient_id, n.client_id, n.collaborator_id, n.ordering_client_physician_id,
        extract(epoch from n.collected_at), n.ext_order_id, n.deleted_at is null)
      is distinct from row(
        o.status_code, o.patient_id, o.client_id, o.collaborator_id, o.ordering_client_physician_id,
        extract(epoch from o.collected_at), o.ext_order_id, o.deleted_at is null);
  else
    insert into audit_state (entity, entity_id, part) select 'requisition', o.id, 0 from stale o;
  end if;
  return null;
end $$;
create trigger audit_state_insert after insert on requisition referencing new table as fresh
  for each statement execute function audit_state_of_requisition();
create trigger audit_state_update after update on requisition referencing old table as stale new table as fresh
  for each statement execute function audit_state_of_requisition();
create trigger audit_state_delete after delete on requisition referencing old table as stale
  for each statement execute function audit_state_of_requisition();

create function audit_state_of_requisition_test() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_nestloop = off as $$
begin
  if tg_op = 'INSERT' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'requisition_test', n.id, 0,
      substr(sha256(convert_to(jsonb_build_array(
        n.requisition_id, n.test_id, n.result, n.result_num, n.reportable_result, n.interpretation, n.comment,
        extract(epoch from n.process_date), n.is_retest, n.retest_of_id, n.deleted_at is null)::text, 'UTF8')), 1, 16)
    from fresh n;
  elsif tg_op = 'UPDATE' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'requisition_test', n.id, 0,
      substr(sha256(convert_to(jsonb_build_array(
        n.requisition_id, n.test_id, n.result, n.result_num, n.reportable_result, n.interpretation, n.comment,
        extract(epoch from n.process_date), n.is_retest, n.retest_of_id, n.deleted_at is null)::text, 'UTF8')), 1, 16)
    from fresh n
    join stale o on o.id = n.id
    where row(
        n.requisition_id, n.test_id, n.result, n.result_num, n.reportable_result, n.interpretation, n.comment,
        extract(epoch from n.process_date), n.is_retest, n.retest_of_id, n.deleted_at is null)
      is distinct from row(
        o.requisition_id, o.test_id, o.result, o.result_num, o.reportable_result, o.interpretation, o.comment,
        extract(epoch from o.process_date), o.is_retest, o.retest_of_id, o.deleted_at is null);
  else
    insert into audit_state (entity, entity_id, part) select 'requisition_test', o.id, 0 from stale o;
  end if;
  return null;
end $$;
create trigger audit_state_insert after insert on requisition_test referencing new table as fresh
  for each statement execute function audit_state_of_requisition_test();
create trigger audit_state_update after update on requisition_test referencing old table as stale new table as fresh
  for each statement execute function audit_state_of_requisition_test();
create trigger audit_state_delete after delete on requisition_test referencing old table as stale
  for each statement execute function audit_state_of_requisition_test();

create function audit_state_of_report() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_nestloop = off as $$
begin
  if tg_op = 'INSERT' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'report', n.id, 0,
      substr(sha256(convert_to(jsonb_build_array(
        n.requisition_id, n.current_version_no, n.lab_qc_status_code, extract(epoch from n.release_at), n.deleted_at is null)::text, 'UTF8')), 1, 16)
    from fresh n;
  elsif tg_op = 'UPDATE' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'report', n.id, 0,
      substr(sha256(convert_to(jsonb_build_array(
        n.requisition_id, n.current_version_no, n.lab_qc_status_code, extract(epoch from n.release_at), n.deleted_at is null)::text, 'UTF8')), 1, 16)
    from fresh n
    join stale o on o.id = n.id
    where row(
        n.requisition_id, n.current_version_no, n.lab_qc_status_code, extract(epoch from n.release_at), n.deleted_at is null)
      is distinct from row(
        o.requisition_id, o.current_version_no, o.lab_qc_status_code, extract(epoch from o.release_at), o.deleted_at is null);
  else
    insert into audit_state (entity, entity_id, part) select 'report', o.id, 0 from stale o;
  end if;
  return null;
end $$;
create trigger audit_state_insert after insert on report referencing new table as fresh
  for each statement execute function audit_state_of_report();
create trigger audit_state_update after update on report referencing old table as stale new table as fresh
  for each statement execute function audit_state_of_report();
create trigger audit_state_delete after delete on report referencing old table as stale
  for each statement execute function audit_state_of_report();

create function audit_state_of_report_version() returns trigger language plpgsql security definer set search_path = public, pg_temp
  set enable_nestloop = off as $$
begin
  if tg_op = 'INSERT' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'report_version', n.report_id, n.version_no,
      substr(sha256(convert_to(jsonb_build_array(
        n.file_id, n.is_correction, n.correction_reason, n.content,
        (select encode(f.sha256, 'hex') from stored_file f where f.id = n.file_id))::text, 'UTF8')), 1, 16)
    from fresh n;
  elsif tg_op = 'UPDATE' then
    insert into audit_state (entity, entity_id, part, digest)
    select 'report_version', n.report_id, n.version_no,
      substr(sha256(convert_to(jsonb_build_array(
        n.file_id, n.is_correction, n.correction_reason, n.content,
        (select encode(f.sha256, 'hex') from stored_file f where f.id = n.file_id))::text, 'UTF8')), 1, 16)
    from fresh n
    join stale o on o.report_id = n.report_id and o.version_no = n.version_no
    where row(
        n.file_id, n.is_correction, n.correction_reason, n.content,
        (select encode(f.sha256, 'hex') from stored_file f where f.id = n.file_id))
      is distinct from row(
        o.file_id, o.is_correction, o.correction_reason, o.content,
        (select encode(f.sha256, 'hex') from stored_file f where f.id = o.file_id));
  else
    insert into audit_state (entity, entity_id, part) select 'report_version', o.report_id, o.version_no from stale o;
  end if;
  return null;
end $$;
create trigger audit_state_insert after insert on report_version referencing new table as fresh
  for each statement execute function audit_state_of_report_version();
create trigger audit_state_update after update on report_version referencing old table as stale new table as fresh
  for each statement execute function audit_state_of_report_version();
create trigger audit_state_delete after delete on report_version referencing old table as stale
  for each statement execute function audit_state_of_report_version();

-- For rows that were stored while triggers were off (the demo load): their history begins with what is there now.
create function audit_state_begin() returns void language sql as $$
  insert into audit_state (entity, entity_id, part, digest)
  select c.entity, c.entity_id, c.part, c.digest
  from audit_current c
  where not exists (select from audit_state s where s.entity = c.entity and s.entity_id = c.entity_id and s.part = c.part) $$;
revoke execute on function audit_state_begin() from public;

create table audit_seal (
  id int generated always as identity primary key,
  from_id bigint not null,
  to_id bigint not null,
  row_count bigint not null,
  state_from bigint,
  state_to bigint,
  state_count bigint,
  prev_hash bytea,
  hash bytea not null,
  mac bytea,  -- HMAC made by the server with a key that the database does not hold
  key_mark text,  -- tells keys apart
  sealed_at timestamptz not null default now()
);
comment on table audit_seal is 'A seal over a closed range of audit_entry and audit_state; each holds the hash of the one before it.';
create trigger audit_seal_append_only before update or delete or truncate on audit_seal for each statement execute function refuse_change();
revoke update, delete, truncate on audit_seal from lis_app;

-- The hash of a seal: of the seal before it and all rows of its two ranges.
create function audit_seal_hash(prev_hash bytea, from_id bigint, to_id bigint, state_from bigint, state_to bigint) returns bytea
language sql stable as $$
  select sha256(coalesce(prev_hash, ''::bytea) || rows.hash || coalesce(states.hash, ''::bytea))
  from (
      select sha256(coalesce(string_agg(e.hash, ''::bytea order by e.id), ''::bytea)) as hash
      from audit_entry e where e.id between $2 and $3) rows,
    (
      select case when $5 is not null then sha256(coalesce(string_agg(audit_state_hash(s), ''::bytea order by s.id), ''::bytea)) end as hash
      from audit_state s where s.id between $4 and $5) states $$;

-- What the next seal would cover: rows up to a point below which nothing can still appear, that is five minutes old and without an
-- open transaction from before. It runs as the owner, who alone may see what the other sessions are doing. The caller has the lock
-- until the seal is written.
create function audit_seal_next() returns table (
  from_id bigint,
  to_id bigint,
  row_count bigint,
  state_from bigint,
  state_to bigint,
  state_count bigint,
  prev_hash bytea,
  hash bytea
) language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_variable
declare
  old_enough timestamptz := now() - interval '5 minutes';
  most int := 100000;
begin
  if not pg_try_advisory_xact_lock(hashtext('audit_seal')) then return; end if;
  if exists (
    select from pg_stat_activity a
    where a.datname = current_database() and a.backend_xid is not null and a.xact_start < old_enough
  ) then return; end if;
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

-- Rows within ranges of ids, for the record that the server keeps of them outside the database. The server asks for what it has not seen yet.
create function audit_tail(entry_from bigint[], entry_to bigint[], state_from bigint[], state_to bigint[])
returns table (is_state boolean, id bigint, hash bytea)
language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  select false, e.id, e.hash from unnest(entry_from, entry_to) as missing(first, last) join audit_entry e on e.id between missing.first and missing.last
  union all
  select true, s.id, audit_state_hash(s) from unnest(state_from, state_to) as missing(first, last) join audit_state s on s.id between missing.first and missing.last $$;

create table access_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  user_id int not null,
  user_name text not null,
  user_role_code text not null,
  method text not null,
  route text not null,
  request_id uuid,
  patient_ids bigint[] not null default '{}',
  requisition_ids bigint[] not null default '{}'
);
comment on table access_log is 'A call that showed patient data: who, when, by which route, and the ids of all patients and requisitions it gave out.';
create index on access_log (user_id, at);
create index on access_log using gin (patient_ids);
create index on access_log using gin (requisition_ids);
create index on access_log (request_id);
create index on access_log (at);
create trigger access_log_append_only before update or delete or truncate on access_log for each statement execute function refuse_change();
revoke insert, update, delete, truncate on access_log from lis_app;

-- Writes many rows at once. It runs as the owner: the patient of a requisition is found whoever has looked, and the server itself
-- cannot write rows otherwise.
create function access_log_write(entries json) returns void language sql security definer set search_path = public, pg_temp as $$
  insert into access_log (at, user_id, user_name, user_role_code, method, route, request_id, requisition_ids, patient_ids)
  select e.at, e.user_id, e.user_name, e.user_role_code, e.method, e.route, e.request_id, e.requisition_ids,
    array(
      select unnest(e.patient_ids)
      union
      select r.patient_id from requisition r where r.id = any(e.requisition_ids)
      order by 1)
  from json_to_recordset(entries) as e(
    at timestamptz,
    user_id int,
    user_name text,
    user_role_code text,
    method text,
    route text,
    request_id uuid,
    requisition_ids bigint[],
    patient_ids bigint[])
  order by e.at $$;
