-- A work list waits until the process that has the connection to the instrument sends it.
alter table instrument_message add column is_to_send boolean not null default false;
create index instrument_message_to_send on instrument_message (id) where is_to_send;
