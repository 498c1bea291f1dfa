-- Audit
select partition_by_month('access_log');
revoke insert, update, delete, truncate on access_log from lis_app;
create trigger access_log_append_only before update or delete or truncate on access_log for each statement execute function refuse_change();
create trigger access_log_append_only before update or delete or truncate on access_log_default for each statement execute function refuse_change();

select partition_by_month('outbox_attempt');

drop function partition_by_month(text);
select make_parts_ahead();
