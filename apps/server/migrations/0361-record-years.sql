-- Reports

-- Versions, their files and signatures are append-only; a report is never removed either while it has to be kept. How long that is,
-- the server writes at its start (RECORD_YEARS). The years count from the newest version.
create function keep_report() returns trigger language plpgsql set search_path = public, pg_temp as $$
declare
  years int := coalesce((select (value #>> '{}')::int from setting where key = 'reports.recordYears'), 10);
begin
  if tg_op = 'TRUNCATE' or exists (select from report_version v where v.report_id = old.id and v.created_at > now() - make_interval(years => years))
  then raise exception 'reports are kept for % years', years using errcode = '42501'; end if;
  return old;
end $$;
create trigger report_kept before delete on report for each row execute function keep_report();
create trigger report_all_kept before truncate on report for each statement execute function keep_report();
revoke delete, truncate on report from lis_app;
revoke delete, truncate on stored_file from lis_app;
