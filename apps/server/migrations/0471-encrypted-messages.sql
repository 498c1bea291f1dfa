-- Files, jobs and messages
-- The text of an HL7 message is encrypted, as the desk of the interfaces keeps it; `body` is then empty. Those from before are encrypted by
-- a running server.
alter table outbox_message add column encrypted_body bytea;
-- The patient whom an encrypted message names: a correction of another patient asks for it.
alter table outbox_message add column patient_id bigint;
create index outbox_message_plain on outbox_message (id) where channel = 'HL7' and encrypted_body is null;
