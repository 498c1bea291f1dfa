-- Rows of the audit within ranges of ids, for the record that the server keeps of them outside the database. The server asks for what it has not seen
-- yet; a function that gave everything since a fixed id would hash the same rows again every second.
drop function audit_tail(bigint, bigint);
create function audit_tail(entry_from bigint[], entry_to bigint[], state_from bigint[], state_to bigint[])
returns table (is_state boolean, id bigint, hash bytea)
language sql stable security definer set search_path = public, pg_temp set enable_seqscan = off as $$
  select false, e.id, e.hash from unnest(entry_from, entry_to) as missing(first, last) join audit_entry e on e.id between missing.first and missing.last
  union all
  select true, s.id, audit_state_hash(s) from unnest(state_from, state_to) as missing(first, last) join audit_state s on s.id between missing.first and missing.last $$;
