-- Refusals
-- Whether the other side said no for good: the ledger then says 'Refused', and not that it was tried in vain.
alter table outbox_message add column is_refused boolean not null default false;
-- Until now nothing but a refusal ended a message before its sixth attempt.
update outbox_message set is_refused = true where state = 'DEAD' and attempts < 6;
create index on patient_notification (message_id);
