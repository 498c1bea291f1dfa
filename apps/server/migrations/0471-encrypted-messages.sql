-- Files, jobs and messages
-- The text of an HL7 message is encrypted, as the desk of the interfaces keeps it; `body` is then empty. Those from before are encrypted by
-- a running server.
alter table outbox_message add column encrypted_body bytea;
-- The patient whom an encrypted message names: a correction of another patient asks for it.
alter table outbox_message add column patient_id bigint;
update outbox_message set patient_id = substring(body from '.*\rPID\|1\|\|(?:[^|]*~)?(\d+)\^\^\^LIS')::bigint where channel = 'HL7';
create index outbox_message_plain on outbox_message (id) where channel = 'HL7' and encrypted_body is null;
