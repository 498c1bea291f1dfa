-- How many messages are on their way to one receiver just now is asked before each claim; those that wait for a gateway may be many.
create index outbox_message_in_hand on outbox_message (channel, recipient) where state = 'SENDING';
