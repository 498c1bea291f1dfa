-- Audit
-- Partitions by month, first of three steps. What a table holds when it is partitioned becomes its first part, untouched: PostgreSQL takes it
-- without reading it if a constraint says that all rows are older than the next part. The constraint is added here without looking at the
-- rows, and proven by the next file without holding writers up. It ends more than four days ahead, and at the start of a month in UTC.
do $$
declare
  bound timestamptz := date_trunc('month', (now() + interval '35 days') at time zone 'utc') at time zone 'utc';
  parent text;
begin
  foreach parent in array array['audit_entry', 'audit_state', 'access_log', 'outbox_attempt'] loop
    execute format('alter table %I add constraint before_partitions check (at < %L::timestamptz) not valid', parent, bound);
  end loop;
end $$;
