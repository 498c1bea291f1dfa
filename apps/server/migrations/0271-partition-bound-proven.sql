-- Audit
-- Partitions by month, second step: reads the tables while people go on writing.
alter table audit_entry validate constraint before_partitions;
alter table audit_state validate constraint before_partitions;
alter table access_log validate constraint before_partitions;
alter table outbox_attempt validate constraint before_partitions;
